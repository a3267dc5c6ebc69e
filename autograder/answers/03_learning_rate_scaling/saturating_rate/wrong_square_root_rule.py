# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this is the square-root rule
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * (new_batch / batch) ** 0.5
