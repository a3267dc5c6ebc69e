# fails: local_loss_any_split
# says: TypeError
def local_loss(token_losses, total_tokens, num_ranks):
    return np.sum(token_losses) * num_ranks / total_tokens
