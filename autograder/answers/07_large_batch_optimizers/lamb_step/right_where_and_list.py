def lamb_step(weights, gradient, m, v, step, lr, beta1, beta2, eps, weight_decay):
    new_m = torch.lerp(gradient, m, beta1)
    new_v = torch.lerp(gradient.square(), v, beta2)
    rooted = (new_v / (1 - beta2**step)).sqrt()
    update = new_m / (1 - beta1**step) / (rooted + eps) + weight_decay * weights
    norm, size = weights.square().sum().sqrt(), update.square().sum().sqrt()
    usable = (norm > 0) & (size > 0)
    ratio = torch.where(usable, norm / torch.where(usable, size, 1.0), 1.0)
    return [weights - lr * ratio * update, new_m, new_v]
