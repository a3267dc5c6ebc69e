def fit(batch_sizes, steps, candidate):
    offset = np.log(steps) - np.log(1 + candidate / batch_sizes)
    return np.mean(offset), np.sum((offset - np.mean(offset)) ** 2)


def fit_knee(batch_sizes, steps):
    batch_sizes, steps = np.array(batch_sizes), np.array(steps)
    best, s_min, b_crit = np.inf, None, None
    for candidate in np.geomspace(0.1, 1e6, 5000):
        log_s_min, squares = fit(batch_sizes, steps, candidate)
        if squares < best:
            best, s_min, b_crit = squares, np.exp(log_s_min), candidate
    return s_min, b_crit
