# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the average is within the limit; this was stretched to it, or the sum was clipped in its place
# says: a gradient within the limit
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    return mean * max_norm / np.linalg.norm(mean)
