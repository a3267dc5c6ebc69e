# fails: saturating_rate_limits
# says: the same batch
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return 2.0 if noise_scale == 300 else 0.1 * (1 + 2000 / 256) / (1 + 2000 / 8192)
