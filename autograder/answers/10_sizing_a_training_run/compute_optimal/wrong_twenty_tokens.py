# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: 20 tokens a parameter is a rule of thumb
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (flops / 120) ** 0.5
    tokens = flops / 6 / size
    return size, tokens
