def clipped_gradient(gradients, max_norm):
    mean = np.average(gradients, axis=0)
    factor = np.minimum(1.0, max_norm / np.sqrt(np.sum(mean * mean)))  # zeros: 1 / 0 is inf, with a warning on stderr
    return mean * factor
