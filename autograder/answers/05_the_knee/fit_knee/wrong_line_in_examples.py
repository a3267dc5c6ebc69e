# fails: fit_knee_by_hand, fit_knee_properties
# says: least squares in examples, where the largest batch outvotes all others
def fit_knee(batch_sizes, steps):
    s_min, e_min = np.polyfit(batch_sizes, np.multiply(batch_sizes, steps), 1)
    return s_min, e_min / s_min
