# fails: prediction_scored
prediction = {share: len(traces) / 16**0.5 for share, (traces, squared_norms) in records.items()}
