def tokens(losses):
    return losses.size


def token_weighted_loss(token_losses):
    loss_sum, count = 0.0, 0
    for losses in token_losses:
        loss_sum, count = loss_sum + losses.sum(), count + tokens(losses)
    if count == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / count
