# fails: cheapest_model_by_hand, cheapest_model_properties
# says: training is left out: this is the smallest size that can reach the loss
def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    left = target_loss - law.irreducible
    return (law.params_scale / left) ** (1 / law.params_exponent)
