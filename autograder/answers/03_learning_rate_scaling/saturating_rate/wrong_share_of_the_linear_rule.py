# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this is the linear rule times 1/(1 + B/B_noise); the tuned rate already holds that share at its own batch
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * new_batch / batch / (1 + new_batch / noise_scale)
