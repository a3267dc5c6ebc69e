# fails: clipped_gradient_properties
# says: ZeroDivisionError
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = float(np.linalg.norm(mean))
    return mean * min(1.0, max_norm / norm)
