# fails: lars_step_by_hand, lars_step_properties
# says: new tensors; those that you were given stay as they are
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    norm = torch.linalg.vector_norm(weights)
    size = torch.linalg.vector_norm(gradient) + weight_decay * norm
    ratio = trust * norm / size if norm > 0 and size > 0 else 1.0
    buffer.mul_(momentum).add_(ratio * (gradient + weight_decay * weights))
    weights -= lr * buffer
    return weights, buffer
