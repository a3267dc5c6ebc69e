def token_weighted_loss(token_losses):
    mean, seen = 0.0, 0
    for losses in token_losses:
        if losses.size:
            seen += losses.size
            mean += (losses.mean() - mean) * losses.size / seen
    if not seen:
        raise ValueError
    return mean
