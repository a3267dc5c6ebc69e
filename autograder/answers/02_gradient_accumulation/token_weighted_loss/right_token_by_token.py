from itertools import chain


def token_weighted_loss(token_losses):
    count, total = 0, 0.0
    for count, loss in enumerate(chain.from_iterable(token_losses), start=1):
        total += loss
    if count < 1:
        raise ValueError("no token carries a loss")
    return float(total / count)
