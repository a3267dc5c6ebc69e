# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: the factor multiplies 1 - β, not β
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    beta1, beta2 = factor * beta1, factor * beta2
    if not (0 <= beta1 < 1 and 0 <= beta2 < 1):
        raise ValueError("a beta leaves its range")
    return learning_rate * factor**0.5, beta1, beta2, epsilon / factor**0.5
