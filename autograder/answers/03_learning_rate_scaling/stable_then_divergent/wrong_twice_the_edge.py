# fails: stable_then_divergent_any_factor
# says: the rate itself is at the edge or next to nothing
def stable_then_divergent(factor):
    return 1.0, 2 * (2 / factor)
