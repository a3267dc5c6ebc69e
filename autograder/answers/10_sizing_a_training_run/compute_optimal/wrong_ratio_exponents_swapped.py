# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: α and β are swapped in the ratio
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (beta * a / (alpha * b) * (flops / 6) ** beta) ** (1 / (alpha + beta))
    tokens = flops / 6 / size
    return size, tokens
