def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    left = target_loss - law.irreducible
    smallest = (law.params_scale / left) ** (1 / law.params_exponent)
    sizes = smallest * np.geomspace(1.0001, 100, 5000)
    tokens = (law.tokens_scale / (left - law.params_scale * sizes**-law.params_exponent)) ** (1 / law.tokens_exponent)
    bill = 3 * sizes * tokens + sizes * served_tokens * serving_price / training_price
    return float(sizes[bill.argmin()])
