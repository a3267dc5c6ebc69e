# fails: stable_then_divergent_eightfold, stable_then_divergent_any_factor
# says: still converges with 8 times the rate: that η λ is below 2
def stable_then_divergent(factor):
    # Beyond η λ = 1 a step overshoots, which is not yet divergence.
    return 1.0, 1.5 / factor
