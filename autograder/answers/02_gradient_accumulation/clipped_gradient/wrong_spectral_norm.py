# fails: clipped_gradient_properties
# says: a gradient three times over the limit
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = np.linalg.norm(mean, 2)  # of a matrix this is the largest singular value
    return mean * max_norm / norm if norm > max_norm else mean
