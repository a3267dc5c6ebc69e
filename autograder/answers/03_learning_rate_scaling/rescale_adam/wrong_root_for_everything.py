# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: 1 - β is multiplied by the factor, not by its square root: it counts examples, it measures no noise
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    root = (new_batch / batch) ** 0.5
    beta1, beta2 = 1 - root * (1 - beta1), 1 - root * (1 - beta2)
    if beta1 < 0 or beta2 < 0:
        raise ValueError("a beta would be negative")
    return learning_rate * root, beta1, beta2, epsilon / root
