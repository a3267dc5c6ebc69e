def local_loss(token_losses, total_tokens, num_ranks):
    weight = num_ranks / total_tokens
    return (weight * token_losses).sum()
