# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: a division by zero or an overflow
def accumulated_gradient(gradients):
    return sum(gradients) / len(list(gradients))
