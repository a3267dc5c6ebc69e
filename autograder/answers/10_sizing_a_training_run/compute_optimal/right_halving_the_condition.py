def compute_optimal(flops, law):
    alpha, beta = law.params_exponent, law.tokens_exponent
    a, b = law.params_scale, law.tokens_scale
    low, high = 1e-9, 1e30
    for _ in range(400):
        size = (low * high) ** 0.5
        tokens = flops / (6 * size)
        if alpha * a / size**alpha > beta * b / tokens**beta:
            low = size
        else:
            high = size
    return np.float64(size), np.float64(tokens)
