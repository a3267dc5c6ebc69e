def fit_knee(batch_sizes, steps):
    sizes, steps = np.asarray(batch_sizes, float), np.asarray(steps, float)
    law = steps
    for _ in range(300):  # lines through a linearised log S: least squares of the logarithms once they settle
        target = law * (1 + np.log(steps / law))
        design = np.stack([1 / law, 1 / (sizes * law)], axis=1)
        s_min, e_min = np.linalg.lstsq(design, target / law, rcond=None)[0]
        law = s_min + e_min / sizes
    return s_min, e_min / s_min
