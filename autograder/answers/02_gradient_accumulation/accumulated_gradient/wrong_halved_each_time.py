# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: each sum was halved on the way, so early micro-batches fade: divide once, at the end
def accumulated_gradient(gradients):
    mean = next(gradients)
    for gradient in gradients:
        mean = (mean + gradient) / 2
    return mean
