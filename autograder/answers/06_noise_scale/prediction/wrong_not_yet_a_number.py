# fails: prediction_locked, prediction_scored
# says: a positive number of steps for each target
prediction = {0.2: 0, 0.1: 0, 0.05: float("nan")}
