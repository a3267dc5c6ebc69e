# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: only the last micro-batch is left
def token_weighted_loss(token_losses):
    for losses in token_losses:
        loss_sum, total_tokens = losses.sum(), losses.size
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens
