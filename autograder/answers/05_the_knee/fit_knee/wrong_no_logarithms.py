# fails: fit_knee_by_hand, fit_knee_properties
def fit_knee(batch_sizes, steps):
    sizes, steps = np.asarray(batch_sizes), np.asarray(steps)
    candidates = np.geomspace(0.1, 1e6, 20_000)[:, None]
    law = 1 + candidates / sizes
    s_min = (steps * law).sum(axis=1) / (law**2).sum(axis=1)
    best = ((steps - s_min[:, None] * law) ** 2).sum(axis=1).argmin()
    return s_min[best], candidates[best, 0]
