# fails: stable_then_divergent_eightfold, stable_then_divergent_any_factor
# says: with 8 times the rate it is exactly at the edge: θ jumps to and fro
def stable_then_divergent(factor):
    return 1.0, 2 / factor
