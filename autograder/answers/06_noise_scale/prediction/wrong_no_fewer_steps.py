# fails: prediction_locked, prediction_scored
# says: these are the steps at B = 32 themselves
prediction = {share: len(traces) for share, (traces, squared_norms) in records.items()}
