import math


def clipped_gradient(gradients, max_norm):
    mean = np.zeros_like(gradients[0])
    for count, gradient in enumerate(gradients, start=1):
        mean += (gradient - mean) / count
    norm = math.hypot(*mean.ravel())
    return mean if norm == 0 else mean * min(1.0, max_norm / norm)
