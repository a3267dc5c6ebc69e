def clipped_gradient(gradients, max_norm):
    mean = sum(gradients) / len(gradients)
    norm = np.linalg.norm(mean)
    if norm <= max_norm:
        return mean
    return mean / norm * max_norm
