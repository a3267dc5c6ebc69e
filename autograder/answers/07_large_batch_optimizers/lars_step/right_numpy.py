def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    w, g, v = weights.numpy(), gradient.numpy(), buffer.numpy()
    norm = np.linalg.norm(w.ravel())
    size = np.linalg.norm(g.ravel()) + weight_decay * norm
    ratio = trust * norm / size if norm and size else 1.0
    v = momentum * v + ratio * (g + weight_decay * w)
    return torch.from_numpy(w - lr * v), torch.from_numpy(v)
