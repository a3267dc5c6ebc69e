def descend(problem, batches, rates):
    columns = []
    for rate in rates:
        w = np.zeros(problem.features.shape[1])
        for rows in batches:
            w = w - rate * batch_gradient(problem, rows, w)
        columns.append(w)
    return np.array(columns).T
