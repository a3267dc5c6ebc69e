# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: an array of shape (2,) is asked for, this is one number
def accumulated_gradient(gradients):
    return np.mean(list(gradients))
