# fails: rescale_adam_properties
# says: ValueError, because beta2 would be negative
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    beta1, beta2 = 1 - factor * (1 - beta1), 1 - factor * (1 - beta2)
    if beta1 < 0:
        raise ValueError("beta1 would be negative")
    return learning_rate * factor**0.5, beta1, beta2, epsilon / factor**0.5
