# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: the betas have not changed: their memory, in examples, is now four times shorter
# says: the impossible case is not caught
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    return learning_rate * factor**0.5, beta1, beta2, epsilon / factor**0.5
