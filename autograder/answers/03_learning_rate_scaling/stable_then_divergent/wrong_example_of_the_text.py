# fails: stable_then_divergent_any_factor
# says: with 2 times the rate it is exactly at the edge: θ jumps to and fro
def stable_then_divergent(factor):
    return 2.0, 0.5
