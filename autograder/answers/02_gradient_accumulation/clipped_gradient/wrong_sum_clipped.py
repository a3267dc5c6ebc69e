# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the average is within the limit; this was stretched to it, or the sum was clipped in its place
# says: a gradient within the limit
def clipped_gradient(gradients, max_norm):
    total = sum(gradients)
    norm = np.linalg.norm(total)
    return total * max_norm / norm if norm > max_norm else total
