import torch


def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    features, labels = torch.tensor(problem.features).float(), torch.tensor(problem.labels).float()
    weights, losses, step = torch.zeros(features.shape[1]), [], 0
    for _ in range(num_epochs):
        order = torch.from_numpy(rng.permutation(problem.num_examples))
        for rows in order.split(batch_size):
            residuals = torch.sigmoid(features[rows] @ weights) - labels[rows]
            step += 1
            factor = min(1.0, step / warmup_steps) if warmup_steps else 1.0
            weights -= rate * factor * features[rows].T @ residuals / len(rows)
        logits = features @ weights
        losses.append(torch.nn.functional.binary_cross_entropy_with_logits(logits, labels).item())
    return losses
