def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    alpha, beta, reducible = law.params_exponent, law.tokens_exponent, target_loss - law.irreducible
    low = (law.params_scale / reducible) ** (1 / alpha)
    high = low * ((alpha + beta) / beta) ** (1 / alpha)
    for _ in range(200):
        size = (low + high) / 2
        part = law.params_scale * size**-alpha
        tokens = (law.tokens_scale / (reducible - part)) ** (1 / beta)
        slope = 6 * training_price * tokens * (1 - alpha * part / (beta * (reducible - part)))
        if slope + 2 * serving_price * served_tokens < 0:
            low = size
        else:
            high = size
    return np.float32(size)
