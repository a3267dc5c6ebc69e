def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    w_norm = weights.norm().item()
    g_norm = gradient.norm().item()
    denominator = g_norm + weight_decay * w_norm
    if w_norm == 0 or denominator == 0:
        local_rate = 1
    else:
        local_rate = trust * w_norm / denominator
    new_buffer = buffer.clone()
    new_buffer.mul_(momentum).add_(gradient.add(weights, alpha=weight_decay), alpha=local_rate)
    new_weights = weights.clone()
    new_weights -= lr * new_buffer
    return new_weights, new_buffer
