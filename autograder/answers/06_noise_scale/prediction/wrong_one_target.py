# fails: prediction_locked, prediction_scored
# says: a dictionary with the three numbers 0.2, 0.1 and 0.05 as keys
# says: a prediction that was locked
prediction = {0.2: 3.6}
