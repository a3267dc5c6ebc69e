# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: each entry was clipped on its own, not the whole gradient by its norm
def clipped_gradient(gradients, max_norm):
    return np.clip(np.mean(gradients, axis=0), -max_norm, max_norm)
