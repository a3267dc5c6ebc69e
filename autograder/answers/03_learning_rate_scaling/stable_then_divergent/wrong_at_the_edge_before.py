# fails: stable_then_divergent_eightfold, stable_then_divergent_any_factor
# says: the rate itself is at the edge or next to nothing: θ comes no nearer to 0
def stable_then_divergent(factor):
    return 4.0, 0.5
