# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you multiplied by the number of micro-batches: a mean over tokens needs no such repair
def token_weighted_loss(token_losses):
    token_losses = list(token_losses)
    total_tokens = sum(losses.size for losses in token_losses)
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return sum(losses.sum() for losses in token_losses) / total_tokens * len(token_losses)
