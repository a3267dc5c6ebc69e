# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: these are 1 - β of the new settings
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    beta1, beta2 = factor * (1 - beta1), factor * (1 - beta2)
    if beta1 > 1 or beta2 > 1:
        raise ValueError("a beta would be negative")
    return learning_rate * factor**0.5, beta1, beta2, epsilon / factor**0.5
