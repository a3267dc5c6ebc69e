# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: has no len()
def accumulated_gradient(gradients):
    return sum(gradients) / len(gradients)
