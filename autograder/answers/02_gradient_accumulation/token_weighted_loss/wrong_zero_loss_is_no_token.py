# fails: token_weighted_loss_properties
# says: ValueError: no token carries a loss
def token_weighted_loss(token_losses):
    loss_sum, total_tokens = 0.0, 0
    for losses in token_losses:
        loss_sum += losses.sum()
        total_tokens += np.count_nonzero(losses)  # "tokens that carry a loss"
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens
