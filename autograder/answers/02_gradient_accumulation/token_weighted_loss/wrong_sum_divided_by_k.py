# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you divided the sum of all token losses by the number of micro-batches
def token_weighted_loss(token_losses):
    return np.mean([losses.sum() for losses in token_losses])
