# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this is linear up to the noise scale and flat beyond it; the best rate bends gradually
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * min(new_batch, noise_scale) / min(batch, noise_scale)
