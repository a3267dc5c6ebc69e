# fails: token_weighted_loss_properties
def token_weighted_loss(token_losses):
    loss_sum, total_tokens = 0.0, 0
    for losses in token_losses:
        if losses.size == 0:
            break
        loss_sum += losses.sum()
        total_tokens += losses.size
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens
