# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: each sum was halved on the way, so early micro-batches fade: divide once, at the end
def token_weighted_loss(token_losses):
    mean = next(token_losses).mean()
    for losses in token_losses:
        mean = (mean + losses.mean()) / 2
    return mean
