# fails: lars_step_by_hand, lars_step_properties
# says: this takes it off the weights
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    norm, gradient_norm = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(gradient)
    size = gradient_norm + weight_decay * norm
    ratio = trust * norm / size if norm > 0 and size > 0 else 1.0
    update = ratio * gradient
    buffer = momentum * buffer + update
    return weights - lr * buffer - lr * weight_decay * weights, buffer
