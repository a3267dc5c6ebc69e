# fails: clipped_gradient_properties
def clipped_gradient(gradients, max_norm):
    mean = sum(gradients) / 2
    norm = np.linalg.norm(mean)
    return mean * max_norm / norm if norm > max_norm else mean
