def local_loss(token_losses, total_tokens, num_ranks):
    weights = torch.full((len(token_losses),), num_ranks / total_tokens)
    return torch.as_tensor(token_losses) @ weights
