# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: the powers are swapped: the model grows with the power β / (α + β)
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** (alpha / (alpha + beta))
    tokens = flops / 6 / size
    return size, tokens
