# fails: stable_then_divergent_eightfold, stable_then_divergent_any_factor
# says: a pair of numbers is asked for
def stable_then_divergent(factor):
    return 1 + 1 / factor
