# fails: fit_knee_by_hand, fit_knee_properties
# says: least squares in steps, where the smallest batch outvotes all others
def fit_knee(batch_sizes, steps):
    e_min, s_min = np.polyfit(1 / np.array(batch_sizes), steps, 1)
    return s_min, e_min / s_min
