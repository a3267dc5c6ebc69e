import math


def descend(problem, batches, rates):
    dimension = range(problem.features.shape[1])
    weights = [[0.0] * len(rates) for _ in dimension]
    for rows in batches:
        for j, rate in enumerate(rates):
            slope = [0.0 for _ in dimension]
            for row in rows:
                x = problem.features[row]
                z = sum(x[i] * weights[i][j] for i in dimension)
                residual = 1 / (1 + math.exp(-z)) - problem.labels[row]
                for i in dimension:
                    slope[i] += residual * x[i] / len(rows)
            for i in dimension:
                weights[i][j] -= rate * slope[i]
    return weights
