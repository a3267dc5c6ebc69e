# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: shortened to norm 1, not to max_norm
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = np.linalg.norm(mean)
    return mean / norm if norm > 1 else mean
