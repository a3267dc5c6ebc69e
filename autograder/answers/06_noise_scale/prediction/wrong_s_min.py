# fails: prediction_locked, prediction_scored
# says: this is S_min, the steps with an endless batch; E_min / 512 is still to be added
# says: a prediction that was locked
prediction = {share: (q / (q + t / 32)).sum() for share, (t, q) in records.items()}
