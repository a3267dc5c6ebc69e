# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the norm is the square root of the sum of squares; this divides by the sum itself
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    norm = (mean**2).sum()
    return mean * max_norm / norm if norm > max_norm else mean
