def token_weighted_loss(token_losses):
    totals = torch.zeros(2)
    for losses in token_losses:
        losses = torch.from_numpy(losses)
        totals += torch.stack([losses.sum(), torch.ones_like(losses).sum()])
    if totals[1] == 0:
        raise ValueError("no token carries a loss")
    return totals[0] / totals[1]
