# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: these are billions; asked for are numbers
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (alpha * a / (beta * b) * (flops / 6) ** beta) ** (1 / (alpha + beta))
    tokens = flops / 6 / size
    return size / 1e9, tokens / 1e9
