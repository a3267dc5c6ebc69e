def lamb_step(weights, gradient, m, v, step, lr, beta1, beta2, eps, weight_decay):
    weights, m, v = weights.clone(), m.clone(), v.clone()
    m.mul_(beta1).add_(gradient, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    correction1, correction2 = 1 - beta1**step, 1 - beta2**step
    update = (m / correction1) / (v.sqrt() / correction2**0.5 + eps)
    update.add_(weights, alpha=weight_decay)
    length, size = weights.norm().item(), update.norm().item()
    if length == 0 or size == 0:
        trust_ratio = 1
    else:
        trust_ratio = length / size
    weights.sub_(update, alpha=lr * trust_ratio)
    return weights, m, v
