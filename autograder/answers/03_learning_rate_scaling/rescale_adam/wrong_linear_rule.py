# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: this is the linear rule; where noise dominates, Adam's step grows with √B by itself
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    beta1, beta2 = 1 - factor * (1 - beta1), 1 - factor * (1 - beta2)
    if beta1 < 0 or beta2 < 0:
        raise ValueError("a beta would be negative")
    return learning_rate * factor, beta1, beta2, epsilon / factor**0.5
