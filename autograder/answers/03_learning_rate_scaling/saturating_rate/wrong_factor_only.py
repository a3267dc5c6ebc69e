# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this is the factor; multiply the rate by it
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return (1 + noise_scale / batch) / (1 + noise_scale / new_batch)
