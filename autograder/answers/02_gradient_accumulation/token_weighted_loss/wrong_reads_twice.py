# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: no token carries a loss
def token_weighted_loss(token_losses):
    loss_sum = sum(losses.sum() for losses in token_losses)
    total_tokens = sum(losses.size for losses in token_losses)  # the iterator is used up
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens
