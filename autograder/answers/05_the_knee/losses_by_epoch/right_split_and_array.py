def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    losses = np.empty(num_epochs)
    w = np.zeros((problem.features.shape[1], 1))
    step = 0
    for epoch in range(num_epochs):
        order = rng.permutation(problem.num_examples)
        for rows in np.split(order, range(batch_size, problem.num_examples, batch_size)):
            x, y = problem.features[rows], problem.labels[rows, None]
            step += 1
            w -= rate * min(1, step / max(1, warmup_steps)) * (x.T @ (1 / (1 + np.exp(-x @ w)) - y)) / len(rows)
        losses[epoch] = problem.loss(w[:, 0])
    return losses
