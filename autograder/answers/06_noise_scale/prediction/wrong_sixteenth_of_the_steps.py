# fails: prediction_scored
# says: sixteen times the batch, a sixteenth of the steps: that holds far below the knee only
prediction = {share: len(traces) / 16 for share, (traces, squared_norms) in records.items()}
