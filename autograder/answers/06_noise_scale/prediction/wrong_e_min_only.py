# fails: prediction_locked, prediction_scored
# says: this is E_min / 512 alone; S_min is still to be added
prediction = {share: (t / (q + t / 32)).sum() / 512 for share, (t, q) in records.items()}
