# fails: accumulated_gradient_properties
# says: the caller's gradients, which must not change
def accumulated_gradient(gradients):
    gradients = list(gradients)
    for gradient in gradients:
        gradient /= len(gradients)
    return sum(gradients)
