# fails: local_loss_any_split
# says: a division by zero or an overflow
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.mean() * len(token_losses) * num_ranks / total_tokens
