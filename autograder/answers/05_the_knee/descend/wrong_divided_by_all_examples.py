# fails: descend_by_hand, descend_common_random_numbers
# says: divide by the size of the batch, not by the number of examples or of steps
def descend(problem, batches, rates):
    weights = np.zeros((problem.features.shape[1], len(rates)))
    for rows in batches:
        residuals = sigmoid(problem.features[rows] @ weights) - problem.labels[rows][:, None]
        weights = weights - rates * (problem.features[rows].T @ residuals / problem.num_examples)
    return weights
