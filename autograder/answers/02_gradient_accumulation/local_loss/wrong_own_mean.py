# fails: local_loss_two_ranks, local_loss_any_split
# says: each rank used its own mean: rank 1's tokens count three times as much as rank 0's
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.mean()
