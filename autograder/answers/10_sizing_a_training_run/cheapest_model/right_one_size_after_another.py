def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    if target_loss <= law.irreducible:
        raise ValueError("no model is so good")
    sizes = [10 ** (6 + 7 * number / 4000) for number in range(4001)]

    def dollars(size):
        return 6 * size * law.tokens_for(target_loss, size) * training_price + 2 * size * served_tokens * serving_price

    return min(sizes, key=dollars)
