# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you added the means of the micro-batches and never divided
def token_weighted_loss(token_losses):
    total = 0.0
    for losses in token_losses:
        total += losses.mean()
    return total
