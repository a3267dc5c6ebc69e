# fails: losses_by_epoch_warmup, losses_by_epoch_published
# says: this counts epochs; the warmup is given in steps
def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    weights, step, losses = np.zeros(problem.features.shape[1]), 0, []
    for epoch in range(num_epochs):
        order = rng.permutation(problem.num_examples)
        for start in range(0, problem.num_examples, batch_size):
            warmed = rate * min(1, (epoch + 1) / max(1, warmup_steps))
            weights = weights - warmed * batch_gradient(problem, order[start : start + batch_size], weights)
            step += 1
        losses.append(problem.loss(weights))
    return losses
