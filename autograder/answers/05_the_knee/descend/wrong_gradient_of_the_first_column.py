# fails: descend_by_hand, descend_common_random_numbers
def descend(problem, batches, rates):
    weights = np.zeros((problem.features.shape[1], len(rates)))
    for rows in batches:
        residuals = sigmoid(problem.features[rows] @ weights[:, :1]) - problem.labels[rows][:, None]
        weights = weights - rates * (problem.features[rows].T @ residuals / len(rows))
    return weights
