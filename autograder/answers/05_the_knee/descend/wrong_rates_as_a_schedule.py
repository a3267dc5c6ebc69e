# fails: descend_by_hand, descend_common_random_numbers
def descend(problem, batches, rates):
    weights = np.zeros(problem.features.shape[1])
    for rows, rate in zip(batches, rates):
        weights = weights - rate * batch_gradient(problem, rows, weights)
    return weights
