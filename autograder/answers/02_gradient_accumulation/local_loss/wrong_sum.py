# fails: local_loss_two_ranks, local_loss_any_split
# says: the sum was not divided by the number of tokens
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.sum()
