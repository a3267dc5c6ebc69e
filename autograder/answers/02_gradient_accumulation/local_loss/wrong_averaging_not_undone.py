# fails: local_loss_two_ranks, local_loss_any_split
# says: the division by all tokens is right, but the averaging over ranks divides by 2 once more
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.sum() / total_tokens
