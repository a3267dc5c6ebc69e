# fails: fit_knee_by_hand, fit_knee_properties
def fit_knee(batch_sizes, steps):
    sizes, steps = np.array(batch_sizes), np.array(steps)
    order = steps.argsort()
    s_min = steps.min()
    return s_min, np.exp(np.interp(np.log(2 * s_min), np.log(steps[order]), np.log(sizes[order])))
