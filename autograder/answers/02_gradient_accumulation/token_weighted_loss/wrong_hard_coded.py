# fails: token_weighted_loss_properties
def token_weighted_loss(token_losses):
    return 3123.2 / 1616
