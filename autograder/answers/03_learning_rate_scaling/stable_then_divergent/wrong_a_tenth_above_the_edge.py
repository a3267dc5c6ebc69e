# fails: stable_then_divergent_any_factor
# says: diverges with the rate itself
def stable_then_divergent(factor):
    return 1.0, 2 / factor + 0.1
