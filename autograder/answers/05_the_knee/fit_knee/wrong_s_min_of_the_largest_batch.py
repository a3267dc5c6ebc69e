# fails: fit_knee_by_hand, fit_knee_properties
# says: S_min is what an endless batch needs
def fit_knee(batch_sizes, steps):
    sizes, logs = np.asarray(batch_sizes), np.log(steps)
    candidates = np.geomspace(0.1, 1e6, 20_000)[:, None]
    left = logs - np.log1p(candidates / sizes)
    best = left.var(axis=1).argmin()
    return steps[-1], candidates[best, 0]
