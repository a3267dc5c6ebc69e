# fails: local_loss_two_ranks, local_loss_any_split
# says: each rank used its own mean
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.sum() * num_ranks / (len(token_losses) * num_ranks)
