# fails: lars_step_by_hand, lars_step_of_zeros, lars_step_properties
# says: the rate stands outside the buffer
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    norm, gradient_norm = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(gradient)
    size = gradient_norm + weight_decay * norm
    ratio = trust * norm / size if norm > 0 and size > 0 else 1.0
    update = lr * ratio * (gradient + weight_decay * weights)
    buffer = momentum * buffer + update
    return weights - buffer, buffer
