# fails: saturating_rate_by_hand, saturating_rate_limits
# says: expected 0.70832 (rate at batch 8192)
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * best_rate(new_batch) / best_rate(batch)
