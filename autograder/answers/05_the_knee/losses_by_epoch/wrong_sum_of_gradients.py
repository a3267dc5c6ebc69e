# fails: losses_by_epoch_by_hand, losses_by_epoch_warmup, losses_by_epoch_published
# says: the gradients are summed over the batch; average them
def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    weights, step, losses = np.zeros(problem.features.shape[1]), 0, []
    for _ in range(num_epochs):
        order = rng.permutation(problem.num_examples)
        for start in range(0, problem.num_examples, batch_size):
            warmed = rate * (step + 1) / warmup_steps if step < warmup_steps else rate
            rows = order[start : start + batch_size]
            residuals = sigmoid(problem.features[rows] @ weights) - problem.labels[rows]
            weights = weights - warmed * problem.features[rows].T @ residuals
            step += 1
        losses.append(problem.loss(weights))
    return losses
