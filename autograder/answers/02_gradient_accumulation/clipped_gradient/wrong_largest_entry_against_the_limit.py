# fails: clipped_gradient_properties
# says: a single micro-batch, norm 5, limit 4.5
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    return mean * max_norm / np.linalg.norm(mean) if np.abs(mean).max() > max_norm else mean
