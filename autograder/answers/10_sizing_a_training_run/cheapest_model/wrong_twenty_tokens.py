# fails: cheapest_model_by_hand, cheapest_model_properties
# says: 20 tokens a parameter is a rule for training alone
def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    sizes = np.geomspace(1e6, 1e13, 100_001)
    return sizes[np.argmin(abs(law.loss(sizes, 20 * sizes) - target_loss))]
