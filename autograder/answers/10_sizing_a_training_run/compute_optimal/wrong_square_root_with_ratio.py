# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: both grow with the square root only if α equals β
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** 0.5
    tokens = flops / 6 / size
    return size, tokens
