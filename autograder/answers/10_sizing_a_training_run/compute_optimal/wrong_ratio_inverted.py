# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: the ratio is upside down: it is αa / (βb)
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    size = (beta * b / (alpha * a)) ** (1 / (alpha + beta)) * (flops / 6) ** (beta / (alpha + beta))
    tokens = flops / 6 / size
    return size, tokens
