# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: the number of micro-batches is one too small: did you count the first one?
def accumulated_gradient(gradients):
    total = 0.0
    for k, gradient in enumerate(gradients):
        total = total + gradient
    return total / k
