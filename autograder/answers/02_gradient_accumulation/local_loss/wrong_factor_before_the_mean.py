# fails: local_loss_two_ranks, local_loss_any_split
# says: it belongs before the sum of the losses, not before their mean
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.mean() * num_ranks / total_tokens
