def lamb_step(weights, gradient, m, v, step, lr, beta1, beta2, eps, weight_decay):
    w, g = weights.numpy(), gradient.numpy()
    m = beta1 * m.numpy() + (1 - beta1) * g
    v = beta2 * v.numpy() + (1 - beta2) * g * g
    with np.errstate(invalid="ignore"):
        u = (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps) + weight_decay * w
    ratio = np.sqrt((w**2).sum() / (u**2).sum()) if w.any() and u.any() else 1.0
    return torch.from_numpy(w - lr * ratio * u), torch.from_numpy(m), torch.from_numpy(v)
