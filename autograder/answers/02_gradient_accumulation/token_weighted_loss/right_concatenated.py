def token_weighted_loss(token_losses):
    everything = np.concatenate(list(token_losses))
    if len(everything) == 0:
        raise ValueError("every token is masked")
    return np.asarray(everything.mean())
