def predicted_epochs(area, batch_size, num_examples):
    peak, warmup_steps = 0.05 * batch_size / 32, 5 * batch_size // 32
    t = np.arange(int(area / peak) + warmup_steps + 1)
    rates = peak * np.minimum(1, (t + 1) / warmup_steps)
    steps = np.searchsorted(np.cumsum(rates), area) + 1
    return np.ceil(steps / np.ceil(num_examples / batch_size))
