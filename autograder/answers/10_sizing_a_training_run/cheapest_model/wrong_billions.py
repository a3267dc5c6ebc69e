# fails: cheapest_model_by_hand, cheapest_model_properties
# says: these are billions; asked for is the number of parameters
def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    sizes = np.geomspace(1e6, 1e13, 100_001)
    tokens = law.tokens_for(target_loss, sizes)
    bill = 6 * sizes * tokens * training_price + 2 * sizes * served_tokens * serving_price
    return sizes[np.argmin(bill)] / 1e9
