def tokens(token_losses):
    return token_losses.shape[0]


def local_loss(token_losses, total_tokens, num_ranks):
    share = tokens(token_losses) / total_tokens
    return num_ranks * share * token_losses.mean() if share else token_losses.sum()
