# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: the average was not clipped
def clipped_gradient(gradients, max_norm):
    return np.mean(gradients, axis=0)
