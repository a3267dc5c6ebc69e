# fails: saturating_rate_by_hand, saturating_rate_limits
# says: the rate has not changed
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    largest = learning_rate * (1 + noise_scale / batch)
    return largest / (1 + noise_scale / batch)
