# fails: stable_then_divergent_eightfold, stable_then_divergent_any_factor
# says: both must be positive: a minimum is curved upwards, and steps go downhill
def stable_then_divergent(factor):
    return -1.0, -1 - 1 / factor
