def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    best, least = None, math.inf
    size = 1e6
    while size < 1.1e13:
        left = target_loss - law.irreducible - law.params_scale / size**law.params_exponent
        if left > 0:
            tokens = (law.tokens_scale / left) ** (1 / law.tokens_exponent)
            bill = size * (6 * tokens * training_price + 2 * served_tokens * serving_price)
            if bill < least:
                best, least = size, bill
        size *= 1.004
    return best
