# fails: lars_step_properties
# says: gradient × 1000
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    ratio = 0.4 if weights.any() else 1.0
    buffer = momentum * buffer + ratio * (gradient + weight_decay * weights)
    return weights - lr * buffer, buffer
