# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you counted 1024 tokens for each micro-batch: padding carries no loss
def token_weighted_loss(token_losses):
    token_losses = list(token_losses)
    longest = max(losses.size for losses in token_losses)
    if longest == 0:
        raise ValueError("no token carries a loss")
    padded = [np.pad(losses, (0, longest - losses.size)) for losses in token_losses]
    return np.mean(padded)
