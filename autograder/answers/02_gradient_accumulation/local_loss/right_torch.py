def local_loss(token_losses, total_tokens, num_ranks):
    return torch.as_tensor(token_losses).sum().mul(num_ranks).div(total_tokens)
