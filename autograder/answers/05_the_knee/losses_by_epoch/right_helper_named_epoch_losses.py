def schedule(rate, warmup_steps):
    for step in range(warmup_steps):
        yield rate * (step + 1) / warmup_steps
    while True:
        yield rate


def epoch_losses(problem, batch_size, rates, rng):
    weights = 0 * problem.features[0]
    while True:
        order = np.arange(problem.num_examples)
        rng.shuffle(order)  # what permutation does
        features, labels = problem.features[order], problem.labels[order]
        for start in range(0, len(order), batch_size):
            batch, truth = features[start : start + batch_size], labels[start : start + batch_size]
            residuals = sigmoid(np.einsum("bd,d->b", batch, weights)) - truth
            weights = weights - next(rates) * np.mean(residuals[:, None] * batch, axis=0)
        yield float(problem.loss(weights))


def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    losses = epoch_losses(problem, batch_size, schedule(rate, warmup_steps), rng)
    return tuple(next(losses) for _ in range(num_epochs))
