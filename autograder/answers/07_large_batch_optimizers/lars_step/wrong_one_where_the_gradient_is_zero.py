# fails: lars_step_by_hand
# says: no gradient, but decay
# says: with decay it is not
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    norm, gradient_norm = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(gradient)
    size = gradient_norm + weight_decay * norm
    ratio = trust * norm / size if norm > 0 and gradient_norm > 0 else 1.0
    update = ratio * (gradient + weight_decay * weights)
    buffer = momentum * buffer + update
    return weights - lr * buffer, buffer
