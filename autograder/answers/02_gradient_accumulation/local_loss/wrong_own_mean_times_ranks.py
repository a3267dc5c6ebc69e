# fails: local_loss_two_ranks, local_loss_any_split
# says: each rank used its own mean, times the number of ranks; use its sum, and all tokens
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.mean() * num_ranks
