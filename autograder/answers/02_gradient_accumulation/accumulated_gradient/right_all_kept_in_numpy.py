def accumulated_gradient(gradients):
    return np.stack(list(gradients)).mean(axis=0)
