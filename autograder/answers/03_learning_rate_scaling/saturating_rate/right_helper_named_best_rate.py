def best_rate(batch, largest_rate, noise_scale):
    return largest_rate / (1 + noise_scale / batch)


def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    largest_rate = learning_rate / best_rate(batch, 1.0, noise_scale)
    return best_rate(new_batch, largest_rate, noise_scale)
