# fails: local_loss_two_ranks, local_loss_any_split
# says: this divides by the number of ranks; multiply, to undo the averaging
def local_loss(token_losses, total_tokens, num_ranks):
    return token_losses.sum() / (total_tokens * num_ranks)
