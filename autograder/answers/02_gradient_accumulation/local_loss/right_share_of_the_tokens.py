def local_loss(token_losses, total_tokens, num_ranks):
    if len(token_losses) == 0:
        return token_losses.sum()  # 0, with a graph where there is one
    share = len(token_losses) / total_tokens
    return num_ranks * share * token_losses.mean()
