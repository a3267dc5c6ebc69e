# fails: rescale_adam_properties
# says: a batch can grow at most tenfold
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    if factor > 10:  # true for beta1 = 0.9 only
        raise ValueError("a batch can grow at most tenfold")
    return learning_rate * factor**0.5, 1 - factor * (1 - beta1), 1 - factor * (1 - beta2), epsilon / factor**0.5
