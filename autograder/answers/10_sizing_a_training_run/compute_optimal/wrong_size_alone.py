# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: an array of shape (2,) is asked for, this is one number
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    return (alpha * a / (beta * b) * (flops / 6) ** beta) ** (1 / (alpha + beta))
