# fails: saturating_rate_by_hand, saturating_rate_limits
# says: this is the linear rule; the batch is four times the noise scale, where the best rate is almost flat
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * new_batch / batch
