# fails: clipped_gradient_properties
# says: an array of shape (4, 3) is asked for, this is an array of shape (12,)
def clipped_gradient(gradients, max_norm):
    mean = np.mean([gradient.ravel() for gradient in gradients], axis=0)
    norm = np.sqrt(mean @ mean)
    return mean * max_norm / norm if norm > max_norm else mean
