def token_weighted_loss(token_losses):
    filled = [losses for losses in token_losses if losses.size > 0]
    try:
        return np.average([losses.mean() for losses in filled], weights=[losses.size for losses in filled])
    except ZeroDivisionError:
        raise ValueError("no token carries a loss") from None
