# fails: lars_step_by_hand, lars_step_properties
# says: a ratio for each coordinate; asked for is one for the layer
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    size = gradient.abs() + weight_decay * weights.abs()
    ratio = torch.where((weights != 0) & (size > 0), trust * weights.abs() / size, 1.0)
    buffer = momentum * buffer + ratio * (gradient + weight_decay * weights)
    return weights - lr * buffer, buffer
