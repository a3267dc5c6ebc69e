# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: each entry, or each gradient / K, was clipped on its own; clip the average once, by its norm
def clipped_gradient(gradients, max_norm):
    return np.clip(np.mean(gradients, axis=0), -max_norm, max_norm)
