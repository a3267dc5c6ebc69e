# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the gradients were added, not averaged
def clipped_gradient(gradients, max_norm):
    result = sum(gradients)
    mean = result / len(gradients)
    norm = np.linalg.norm(mean)
    if norm > max_norm:
        result = mean * max_norm / norm
    return result
