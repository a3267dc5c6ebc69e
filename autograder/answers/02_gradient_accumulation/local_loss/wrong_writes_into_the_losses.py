# fails: local_loss_any_split
# says: the caller's losses, which must not change
def local_loss(token_losses, total_tokens, num_ranks):
    token_losses *= num_ranks / total_tokens
    return token_losses.sum()
