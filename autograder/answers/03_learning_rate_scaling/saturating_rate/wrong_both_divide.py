# fails: saturating_rate_by_hand, saturating_rate_limits
# says: both factors divide; the old batch's must multiply
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    largest = learning_rate / (1 + noise_scale / batch)
    return largest / (1 + noise_scale / new_batch)
