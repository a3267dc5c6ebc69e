# fails: local_loss_two_ranks, local_loss_any_split
# says: you multiplied by the ranks and never divided by the tokens
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.sum() * num_ranks
