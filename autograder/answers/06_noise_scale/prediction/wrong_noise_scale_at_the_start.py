# fails: prediction_scored
prediction = {}
for share, (traces, squared_norms) in records.items():
    start = traces[0] / squared_norms[0]
    prediction[share] = len(traces) * (1 + start / 512) / (1 + start / 32)
