# fails: lars_step_by_hand, lars_step_properties
# says: this divides by the norm of the sum, |g + δw| (SimCLR's code does); here by |g| + δ|w|
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    norm, gradient_norm = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(gradient)
    size = torch.linalg.vector_norm(gradient + weight_decay * weights)
    ratio = trust * norm / size if norm > 0 and size > 0 else 1.0
    update = ratio * (gradient + weight_decay * weights)
    buffer = momentum * buffer + update
    return weights - lr * buffer, buffer
