# fails: stable_then_divergent_eightfold, stable_then_divergent_any_factor
# says: diverges with the rate itself: η λ is beyond 2 before it is multiplied
def stable_then_divergent(factor):
    return 1.0, 2 + 2 / factor
