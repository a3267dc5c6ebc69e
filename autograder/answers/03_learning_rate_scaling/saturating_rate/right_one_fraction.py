def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    return learning_rate * new_batch * (batch + noise_scale) / (batch * (new_batch + noise_scale))
