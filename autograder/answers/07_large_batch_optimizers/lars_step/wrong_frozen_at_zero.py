# fails: lars_step_of_zeros
# says: the layer is frozen: its weights are 0, so its ratio is 0, so they stay 0 for ever
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    norm, gradient_norm = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(gradient)
    size = gradient_norm + weight_decay * norm
    ratio = trust * norm / size if size > 0 else 1.0
    update = ratio * (gradient + weight_decay * weights)
    buffer = momentum * buffer + update
    return weights - lr * buffer, buffer
