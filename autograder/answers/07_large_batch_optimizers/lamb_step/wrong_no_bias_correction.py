# fails: lamb_step_by_hand, lamb_step_properties
# says: the bias correction is missing
def lamb_step(weights, gradient, m, v, step, lr, beta1, beta2, eps, weight_decay):
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    m_hat = m
    v_hat = v
    adam = m_hat / (v_hat.sqrt() + eps)
    update = adam + weight_decay * weights
    norm, size = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(update)
    ratio = norm / size if norm > 0 and size > 0 else 1.0
    return weights - lr * ratio * update, m, v
