# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: the 6 is missing: C = 6ΨD
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (alpha * a / (beta * b) * flops**beta) ** (1 / (alpha + beta))
    tokens = flops / size
    return size, tokens
