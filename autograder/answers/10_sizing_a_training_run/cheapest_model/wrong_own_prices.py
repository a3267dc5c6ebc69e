# fails: cheapest_model_properties
def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    sizes = np.geomspace(1e6, 1e13, 100_001)
    tokens = law.tokens_for(target_loss, sizes)
    bill = 6 * sizes * tokens * 1.76e-18 + 2 * sizes * served_tokens * 8.78e-18
    return sizes[np.argmin(bill)]
