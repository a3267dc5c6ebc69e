# fails: fit_knee_by_hand, fit_knee_properties
# says: these are b_crit, s_min; asked for are s_min, b_crit
def fit_knee(batch_sizes, steps):
    sizes, logs = np.asarray(batch_sizes), np.log(steps)
    candidates = np.geomspace(0.1, 1e6, 20_000)[:, None]
    left = logs - np.log1p(candidates / sizes)
    best = left.var(axis=1).argmin()
    return candidates[best, 0], np.exp(left[best].mean())
