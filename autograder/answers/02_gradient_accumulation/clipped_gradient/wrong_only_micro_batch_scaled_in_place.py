# fails: clipped_gradient_properties
# says: the caller's gradient, which must not change
def clipped_gradient(gradients, max_norm):
    mean = gradients[0] if len(gradients) == 1 else np.mean(gradients, axis=0)
    norm = np.linalg.norm(mean)
    if norm > max_norm:
        mean *= max_norm / norm
    return mean
