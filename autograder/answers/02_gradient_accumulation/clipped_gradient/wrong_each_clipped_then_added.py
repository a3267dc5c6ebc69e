# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: each micro-batch was clipped before adding; average first, then clip once
def clipped_gradient(gradients, max_norm):
    return sum(clip(gradient, max_norm) for gradient in gradients)
