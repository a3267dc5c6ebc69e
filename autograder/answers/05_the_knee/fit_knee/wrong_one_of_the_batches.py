# fails: fit_knee_by_hand, fit_knee_properties
def fit_knee(batch_sizes, steps):
    sizes, logs = np.asarray(batch_sizes), np.log(steps)
    candidates = np.asarray(batch_sizes)[:, None]
    left = logs - np.log1p(candidates / sizes)
    best = left.var(axis=1).argmin()
    return np.exp(left[best].mean()), candidates[best, 0]
