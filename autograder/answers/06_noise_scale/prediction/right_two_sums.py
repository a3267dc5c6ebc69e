prediction = {}
for share, (t, q) in records.items():
    s_min, e_min = (q / (q + t / 32)).sum(), (t / (q + t / 32)).sum()
    prediction[share] = s_min + e_min / 512
