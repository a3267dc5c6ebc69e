# fails: fit_knee_by_hand, fit_knee_properties
# says: this is E_min where B_crit = E_min / S_min is asked for
def fit_knee(batch_sizes, steps):
    sizes, logs = np.asarray(batch_sizes), np.log(steps)
    candidates = np.geomspace(0.1, 1e6, 20_000)[:, None]
    left = logs - np.log1p(candidates / sizes)
    best = left.var(axis=1).argmin()
    s_min = np.exp(left[best].mean())
    return s_min, s_min * candidates[best, 0]
