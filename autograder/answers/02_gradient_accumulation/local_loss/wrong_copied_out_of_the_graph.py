# fails: local_loss_any_split
# says: does not require grad
def local_loss(token_losses, total_tokens, num_ranks):
    return torch.tensor(token_losses).sum() * num_ranks / total_tokens
