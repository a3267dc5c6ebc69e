# fails: prediction_locked, prediction_scored
# says: one number of steps for each target
prediction = {share: noise_scale.predicted_law(*record, 32) for share, record in records.items()}
