def local_loss(token_losses, total_tokens, num_ranks):
    return sum(token_losses) / (total_tokens / num_ranks)
