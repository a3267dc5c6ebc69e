# fails: rescale_adam_smaller_batch, rescale_adam_range, rescale_adam_properties
# says: the order is beta1, beta2
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    betas = sorted((1 - factor * (1 - beta) for beta in (beta1, beta2)), reverse=True)
    if min(betas) < 0:
        raise ValueError("a beta would be negative")
    return learning_rate * factor**0.5, *betas, epsilon / factor**0.5
