# fails: clipped_gradient_properties
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = np.linalg.norm(mean, axis=-1, keepdims=True)
    return mean * np.minimum(1.0, max_norm / np.maximum(norm, 1e-12))
