# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the gradients were added, neither averaged nor clipped
def clipped_gradient(gradients, max_norm):
    return np.sum(gradients, axis=0)
