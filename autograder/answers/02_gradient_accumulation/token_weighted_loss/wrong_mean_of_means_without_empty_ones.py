# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you averaged the means of the micro-batches
def token_weighted_loss(token_losses):
    means = [losses.mean() for losses in token_losses if losses.size]
    if not means:
        raise ValueError("no token carries a loss")
    return sum(means) / len(means)
