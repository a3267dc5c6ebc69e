# fails: fit_knee_by_hand, fit_knee_properties
def fit_knee(batch_sizes, steps):
    slope, intercept = np.polyfit(np.log(batch_sizes), np.log(steps), 1)
    return np.exp(intercept), -slope
