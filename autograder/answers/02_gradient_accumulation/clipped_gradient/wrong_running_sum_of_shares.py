# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the running sum of gradients / K was clipped after each micro-batch
def clipped_gradient(gradients, max_norm):
    total = 0.0
    for gradient in gradients:
        total = total + gradient / len(gradients)
        norm = np.linalg.norm(total)
        if norm > max_norm:
            total = total * max_norm / norm
    return total
