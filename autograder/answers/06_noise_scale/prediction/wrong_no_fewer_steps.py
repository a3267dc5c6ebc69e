# fails: prediction_scored
# says: these are the steps at a batch of 32
prediction = {share: len(traces) for share, (traces, squared_norms) in records.items()}
