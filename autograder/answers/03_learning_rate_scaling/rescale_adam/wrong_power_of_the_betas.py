# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: this is β to the power of the factor, which is the same only for β near 1; the factor multiplies 1 - β
# says: the impossible case is not caught
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    return learning_rate * factor**0.5, beta1**factor, beta2**factor, epsilon / factor**0.5
