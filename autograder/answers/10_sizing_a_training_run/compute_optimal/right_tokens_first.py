def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    tokens = (beta * b / (alpha * a) * (flops / 6) ** alpha) ** (1 / (alpha + beta))
    return flops / 6 / tokens, tokens
