def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    norm = weights.pow(2).sum().sqrt()
    size = gradient.pow(2).sum().sqrt() + weight_decay * norm
    usable = (norm > 0) & (size > 0)
    ratio = torch.where(usable, trust * norm / torch.where(usable, size, 1.0), 1.0)
    buffer = momentum * buffer + ratio * (gradient + weight_decay * weights)
    return [weights - lr * buffer, buffer]
