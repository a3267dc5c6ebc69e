# fails: cheapest_model_by_hand, cheapest_model_properties
# says: is there a nan in the bill?
def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    sizes = np.geomspace(1e6, 1e13, 100_001)
    left = target_loss - law.irreducible - law.params_scale * sizes**-law.params_exponent
    with np.errstate(invalid="ignore"):
        tokens = (law.tokens_scale / left) ** (1 / law.tokens_exponent)
    bill = 6 * sizes * tokens * training_price + 2 * sizes * served_tokens * serving_price
    return sizes[np.argmin(bill)]
