# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this takes the tuned rate for η_max; it is η_best of the old batch
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate / (1 + noise_scale / new_batch)
