# fails: local_loss_any_split
def local_loss(token_losses, total_tokens, num_ranks):
    return np.asarray(token_losses, dtype=float).sum() * num_ranks / total_tokens
