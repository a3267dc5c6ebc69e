# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: this spends the whole budget on forward passes: C = 6ΨD
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (alpha * a / (beta * b) * (flops / 2) ** beta) ** (1 / (alpha + beta))
    tokens = flops / 2 / size
    return size, tokens
