# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
def accumulated_gradient(gradients):
    return np.mean(gradients, axis=0)
