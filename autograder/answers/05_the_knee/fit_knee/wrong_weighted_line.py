# fails: fit_knee_by_hand, fit_knee_properties
# says: this weights by 1/S, which is close; asked for are least squares of the logarithms
def fit_knee(batch_sizes, steps):
    e_min, s_min = np.polyfit(1 / np.array(batch_sizes), steps, 1, w=1 / np.array(steps))
    return s_min, e_min / s_min
