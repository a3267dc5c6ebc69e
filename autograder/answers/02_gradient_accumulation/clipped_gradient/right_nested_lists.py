def clipped_gradient(gradients, max_norm):
    shape = gradients[0].shape
    entries = [sum(entry) / len(gradients) for entry in zip(*(gradient.flatten() for gradient in gradients))]
    norm = sum(entry**2 for entry in entries) ** 0.5
    scale = max_norm / norm if norm > max_norm else 1
    return np.reshape([scale * entry for entry in entries], shape).tolist()
