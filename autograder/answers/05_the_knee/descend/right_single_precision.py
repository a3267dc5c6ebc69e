def descend(problem, batches, rates):
    features, labels = problem.features.astype("f4"), problem.labels.astype("f4")
    weights = np.zeros((len(rates), features.shape[1]), "f4")  # a row for each rate, turned at the end
    for rows in batches:
        residuals = 1 / (1 + np.exp(-weights @ features[rows].T)) - labels[rows]
        weights -= np.float32(rates)[:, None] * (residuals @ features[rows]) / np.float32(len(rows))
    return weights.T
