# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: each micro-batch was clipped before averaging; clip once, after it
def clipped_gradient(gradients, max_norm):
    return np.mean([clip(gradient, max_norm) for gradient in gradients], axis=0)
