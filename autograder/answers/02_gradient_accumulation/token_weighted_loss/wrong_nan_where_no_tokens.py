# fails: token_weighted_loss_properties
# says: ValueError, because no token carries a loss
# says: the impossible case is not caught
def token_weighted_loss(token_losses):
    loss_sum, total_tokens = np.zeros(()), 0
    for losses in token_losses:
        loss_sum = loss_sum + losses.sum()
        total_tokens += losses.size
    return loss_sum / total_tokens
