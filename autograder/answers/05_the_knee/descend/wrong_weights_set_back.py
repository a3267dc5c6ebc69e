# fails: descend_by_hand, descend_common_random_numbers
# says: the weights are set back to 0 before every step
def descend(problem, batches, rates):
    weights = np.zeros((problem.features.shape[1], len(rates)))
    for rows in batches:
        weights = np.zeros_like(weights)
        residuals = sigmoid(problem.features[rows] @ weights) - problem.labels[rows][:, None]
        weights = weights - rates * (problem.features[rows].T @ residuals / len(rows))
    return weights
