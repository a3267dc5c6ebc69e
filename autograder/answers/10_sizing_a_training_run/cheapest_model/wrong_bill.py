# fails: cheapest_model_by_hand, cheapest_model_properties
# says: this is the bill in dollars; asked for is the size of the cheapest
def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    sizes = np.geomspace(1e6, 1e13, 100_001)
    tokens = law.tokens_for(target_loss, sizes)
    bill = 6 * sizes * tokens * training_price + 2 * sizes * served_tokens * serving_price
    return bill.min()
