# fails: saturating_rate_by_hand, saturating_rate_limits
# says: both factors multiply; the new batch's must divide
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * (1 + noise_scale / batch) * (1 + noise_scale / new_batch)
