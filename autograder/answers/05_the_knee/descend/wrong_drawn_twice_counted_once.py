# fails: descend_by_hand
# says: an example that is drawn twice counts twice
def descend(problem, batches, rates):
    weights = np.zeros((problem.features.shape[1], len(rates)))
    for rows in batches:
        rows = np.unique(rows)
        residuals = sigmoid(problem.features[rows] @ weights) - problem.labels[rows][:, None]
        weights = weights - rates * (problem.features[rows].T @ residuals / len(rows))
    return weights
