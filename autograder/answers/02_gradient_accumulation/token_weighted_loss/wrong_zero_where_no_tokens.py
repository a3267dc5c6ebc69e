# fails: token_weighted_loss_properties
# says: the impossible case is not caught
def token_weighted_loss(token_losses):
    loss_sum, total_tokens = 0.0, 0
    for losses in token_losses:
        loss_sum += losses.sum()
        total_tokens += losses.size
    return loss_sum / max(total_tokens, 1)
