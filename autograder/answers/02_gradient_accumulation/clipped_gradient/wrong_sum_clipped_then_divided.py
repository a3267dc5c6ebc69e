# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the sum was clipped and then divided by K, so the step is K times too short
def clipped_gradient(gradients, max_norm):
    total = sum(gradients)
    norm = np.linalg.norm(total)
    if norm > max_norm:
        total = total * max_norm / norm
    return total / len(gradients)
