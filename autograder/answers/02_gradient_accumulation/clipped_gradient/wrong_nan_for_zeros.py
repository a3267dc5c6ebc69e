# fails: clipped_gradient_properties
# says: a division by zero or an overflow
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = np.linalg.norm(mean)
    return mean / norm * min(norm, max_norm)
