# fails: lamb_step_by_hand
# says: new tensors; those that you were given stay as they are
def lamb_step(weights, gradient, m, v, step, lr, beta1, beta2, eps, weight_decay):
    m.mul_(beta1).add_(gradient, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    update = m / (1 - beta1**step) / ((v / (1 - beta2**step)).sqrt() + eps) + weight_decay * weights
    norm, size = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(update)
    ratio = norm / size if norm > 0 and size > 0 else 1.0
    return weights - lr * ratio * update, m, v
