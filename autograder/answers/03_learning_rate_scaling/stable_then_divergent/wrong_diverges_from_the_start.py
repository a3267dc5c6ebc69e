# fails: stable_then_divergent_eightfold, stable_then_divergent_any_factor
# says: diverges with the rate itself: η λ is beyond 2 before it is multiplied
def stable_then_divergent(factor):
    curvature, limit = 2.0, 2 / 2.0
    return curvature, 1.1 * limit
