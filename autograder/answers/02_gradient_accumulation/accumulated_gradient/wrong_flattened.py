# fails: accumulated_gradient_properties
# says: this is an array of shape (6,)
def accumulated_gradient(gradients):
    return np.mean([gradient.ravel() for gradient in gradients], axis=0)
