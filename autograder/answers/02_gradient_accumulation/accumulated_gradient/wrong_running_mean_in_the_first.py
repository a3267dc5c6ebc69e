# fails: accumulated_gradient_properties
# says: the caller's gradients, which must not change
def accumulated_gradient(gradients):
    mean = next(gradients)
    for count, gradient in enumerate(gradients, start=2):
        mean += (gradient - mean) / count
    return mean
