def epochs(c, batch_size):
    rng = np.random.default_rng(1)
    rate = 0.05 * batch_size / 32
    return epochs_to_target(problem, target_loss, batch_size, rate, round(c * batch_size), 80, rng)


def warmup_for_knee(knee):
    c = 0.01
    while epochs(c, knee) < 4:
        c *= 1.3
    return c
