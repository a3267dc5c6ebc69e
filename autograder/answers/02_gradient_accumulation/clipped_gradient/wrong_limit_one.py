# fails: clipped_gradient_properties
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = np.linalg.norm(mean)
    return mean / norm if norm > 1 else mean
