# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: parameters and tokens are alike only if both parts of the law are
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (flops / 6) ** 0.5
    tokens = flops / 6 / size
    return size, tokens
