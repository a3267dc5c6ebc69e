# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this is 1 + B/B_noise in the place of 1/(1 + B_noise/B): it never saturates
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * (1 + new_batch / noise_scale) / (1 + batch / noise_scale)
