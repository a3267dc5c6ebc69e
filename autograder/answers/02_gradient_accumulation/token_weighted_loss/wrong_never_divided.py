# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you added all token losses and never divided by the number of tokens
def token_weighted_loss(token_losses):
    return sum(losses.sum() for losses in token_losses)
