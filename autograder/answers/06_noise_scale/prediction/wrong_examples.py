# fails: prediction_locked, prediction_scored
# says: these are examples; asked for are steps
prediction = {}
for share, (t, q) in records.items():
    s_min, e_min = (q / (q + t / 32)).sum(), (t / (q + t / 32)).sum()
    prediction[share] = 512 * s_min + e_min
