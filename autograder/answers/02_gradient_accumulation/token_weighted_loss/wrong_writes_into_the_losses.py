# fails: token_weighted_loss_properties
# says: the caller's losses, which must not change
def token_weighted_loss(token_losses):
    loss_sum, total_tokens = 0.0, 0
    for losses in token_losses:
        if losses.size:
            losses *= losses.size
            loss_sum += losses.mean()
            total_tokens += losses.size
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens
