# fails: local_loss_two_ranks, local_loss_any_split
# says: the number of ranks is in it twice: the framework averages, it does not add
def local_loss(token_losses, total_tokens, num_ranks):
    tokens_per_rank = total_tokens / num_ranks
    return token_losses.sum() / tokens_per_rank * num_ranks
