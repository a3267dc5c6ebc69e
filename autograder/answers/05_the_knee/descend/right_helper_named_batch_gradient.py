def batch_gradient(features, labels, weights):
    return features.T @ (sigmoid(features @ weights) - labels[:, None]) / len(labels)


def descend(problem, batches, rates):
    weights = np.zeros((problem.features.shape[1], len(rates)))
    for rows in batches:
        weights = weights - rates * batch_gradient(problem.features[rows], problem.labels[rows], weights)
    return weights
