# fails: descend_by_hand, descend_common_random_numbers
# says: these steps use all examples; use those of the batch
def descend(problem, batches, rates):
    weights = np.zeros((problem.features.shape[1], len(rates)))
    for _ in batches:
        rows = np.arange(problem.num_examples)
        residuals = sigmoid(problem.features[rows] @ weights) - problem.labels[rows][:, None]
        weights = weights - rates * (problem.features[rows].T @ residuals / len(rows))
    return weights
