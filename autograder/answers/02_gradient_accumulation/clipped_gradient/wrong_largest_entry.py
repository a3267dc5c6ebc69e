# fails: clipped_gradient_by_hand, clipped_gradient_properties
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = np.abs(mean).max()
    return mean * max_norm / norm if norm > max_norm else mean
