# fails: token_weighted_loss_properties
# says: ValueError: no token carries a loss
def token_weighted_loss(token_losses):
    loss_sum, total_tokens = 0.0, 0
    for losses in token_losses:
        loss_sum += losses.sum()
        total_tokens += losses.size
    if not loss_sum:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens
