# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you averaged the means of the micro-batches: the 16 tokens of the last one count as much as 1024 others
def token_weighted_loss(token_losses):
    return np.mean([losses.mean() for losses in token_losses])
