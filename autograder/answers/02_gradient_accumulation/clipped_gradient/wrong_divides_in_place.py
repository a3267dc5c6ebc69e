# fails: clipped_gradient_properties
# says: the caller's gradients, which must not change
def clipped_gradient(gradients, max_norm):
    for gradient in gradients:
        gradient /= len(gradients)
    mean = sum(gradients)
    norm = np.linalg.norm(mean)
    return mean * max_norm / norm if norm > max_norm else mean
