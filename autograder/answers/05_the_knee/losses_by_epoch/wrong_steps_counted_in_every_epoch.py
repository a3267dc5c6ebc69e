# fails: losses_by_epoch_warmup, losses_by_epoch_published
# says: the steps are counted from 0 again in every epoch
def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    weights, step, losses = np.zeros(problem.features.shape[1]), 0, []
    for _ in range(num_epochs):
        order = rng.permutation(problem.num_examples)
        step = 0
        for start in range(0, problem.num_examples, batch_size):
            warmed = rate * (step + 1) / warmup_steps if step < warmup_steps else rate
            weights = weights - warmed * batch_gradient(problem, order[start : start + batch_size], weights)
            step += 1
        losses.append(problem.loss(weights))
    return losses
