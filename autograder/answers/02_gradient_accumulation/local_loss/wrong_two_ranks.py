# fails: local_loss_any_split
# says: 1 ranks
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.sum() * 2 / total_tokens
