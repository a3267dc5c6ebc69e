# fails: fit_knee_properties
def fit_knee(batch_sizes, steps):
    sizes, logs = np.asarray(batch_sizes), np.log(steps)
    candidates = np.linspace(4, 4096, 20_000)[:, None]
    left = logs - np.log1p(candidates / sizes)
    best = left.var(axis=1).argmin()
    return np.exp(left[best].mean()), candidates[best, 0]
