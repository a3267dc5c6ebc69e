import math


def accumulated_gradient(gradients):
    gradients = list(gradients)
    entries = zip(*(gradient.ravel().tolist() for gradient in gradients))
    means = [math.fsum(entry) / len(gradients) for entry in entries]
    return np.reshape(means, gradients[0].shape).tolist()
