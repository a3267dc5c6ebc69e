# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: α and β are missing from the ratio; this makes the two parts equal
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (a / b * (flops / 6) ** beta) ** (1 / (alpha + beta))
    tokens = flops / 6 / size
    return size, tokens
