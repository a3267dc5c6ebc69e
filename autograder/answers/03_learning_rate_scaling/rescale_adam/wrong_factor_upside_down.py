# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: the batch shrinks, and so must the rate
# says: the impossible case is not caught
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = batch / new_batch
    beta1, beta2 = 1 - factor * (1 - beta1), 1 - factor * (1 - beta2)
    if beta1 < 0 or beta2 < 0:
        raise ValueError("a beta would be negative")
    return learning_rate * factor**0.5, beta1, beta2, epsilon / factor**0.5
