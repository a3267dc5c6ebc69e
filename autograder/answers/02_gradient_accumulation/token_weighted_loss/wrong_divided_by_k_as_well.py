# fails: token_weighted_loss_by_hand, token_weighted_loss_properties
# says: you divided by the number of tokens and then once more by the number of micro-batches
def token_weighted_loss(token_losses):
    loss_sum, total_tokens, accumulation_steps = 0.0, 0, 0
    for losses in token_losses:
        loss_sum += losses.sum()
        total_tokens += losses.size
        accumulation_steps += 1
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens / accumulation_steps
