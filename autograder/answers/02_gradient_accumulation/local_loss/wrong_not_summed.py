# fails: local_loss_two_ranks, local_loss_any_split
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses * num_ranks / total_tokens
