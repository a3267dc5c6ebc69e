def average(gradients):
    return sum(gradients) / len(gradients)


def length(gradient):
    return np.sqrt((gradient**2).sum())


def clipped_gradient(gradients, max_norm):
    gradient = average(gradients)
    if length(gradient) > max_norm:
        gradient = gradient * max_norm / length(gradient)
    return gradient
