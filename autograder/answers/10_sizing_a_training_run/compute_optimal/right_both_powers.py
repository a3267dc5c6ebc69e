def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    scale = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    budget = flops / 6
    return scale * budget ** (beta / (alpha + beta)), budget ** (alpha / (alpha + beta)) / scale
