# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this is the largest rate, for an infinite batch; divide it by 1 + B_noise/B
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * (1 + noise_scale / batch)
