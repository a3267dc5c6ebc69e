# fails: stable_then_divergent_any_factor
# says: still converges with 1.0001 times the rate: that η λ is below 2
def stable_then_divergent(factor):
    return 1.0, min(1.99, 10 / factor)
