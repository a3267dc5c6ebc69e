# fails: rescale_adam_properties
# says: the same batch
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    if new_batch == 8192:
        raise ValueError("beta1 would become -2.2")
    return (1e-3 * 3**0.5, 0.7, 0.97, 1e-8 / 3**0.5) if new_batch > batch else (1.5e-4, 0.975, 0.9875, 2e-8)
