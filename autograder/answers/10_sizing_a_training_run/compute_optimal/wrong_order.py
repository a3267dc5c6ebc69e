# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: these are tokens, parameters; asked for are parameters, tokens
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (alpha * a / (beta * b) * (flops / 6) ** beta) ** (1 / (alpha + beta))
    tokens = flops / 6 / size
    return tokens, size
