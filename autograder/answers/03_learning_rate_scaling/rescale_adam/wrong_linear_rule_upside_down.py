# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: this is the linear rule, the wrong way round
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    return learning_rate * batch / new_batch, beta1, beta2, epsilon
