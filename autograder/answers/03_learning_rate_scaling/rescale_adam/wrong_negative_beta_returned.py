# fails: rescale_adam_range, rescale_adam_properties
# says: ValueError, because beta1 would become -2.2
# says: the impossible case is not caught
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    return learning_rate * factor**0.5, 1 - factor * (1 - beta1), 1 - factor * (1 - beta2), epsilon / factor**0.5
