# fails: token_weighted_loss_properties
# says: got ZeroDivisionError
def token_weighted_loss(token_losses):
    loss_sum, total_tokens = 0.0, 0
    for losses in token_losses:
        loss_sum += float(losses.sum())
        total_tokens += len(losses)
    return loss_sum / total_tokens
