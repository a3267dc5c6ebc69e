# fails: fit_knee_by_hand, fit_knee_properties
# says: this uses the smallest and the largest batch only; each point counts
def fit_knee(batch_sizes, steps):
    sizes, steps = np.array(batch_sizes), np.array(steps)
    small, large = sizes.argmin(), sizes.argmax()
    e_min = (steps[small] - steps[large]) / (1 / sizes[small] - 1 / sizes[large])
    s_min = steps[large] - e_min / sizes[large]
    return s_min, e_min / s_min
