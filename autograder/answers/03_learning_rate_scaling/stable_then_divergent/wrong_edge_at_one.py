# fails: stable_then_divergent_any_factor
# says: still converges with 2 times the rate: that η λ is below 2
def stable_then_divergent(factor):
    return 1.0, (1 / factor + 1) / 2
