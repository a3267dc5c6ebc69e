# fails: prediction_locked, prediction_scored
# says: B_crit stands where E_min should
prediction = {}
for share, (t, q) in records.items():
    s_min, e_min = (q / (q + t / 32)).sum(), (t / (q + t / 32)).sum()
    prediction[share] = s_min + e_min / s_min / 512
