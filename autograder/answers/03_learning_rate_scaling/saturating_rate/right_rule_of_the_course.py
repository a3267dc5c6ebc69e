from largebatch import scaling


def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return scaling.saturating(learning_rate, batch, new_batch, noise_scale)
