import math


def token_weighted_loss(token_losses):
    sums, counts = [], []
    for losses in token_losses:
        sums.append(math.fsum(losses))
        counts.append(len(losses))
    if not any(counts):
        raise ValueError("no tokens")
    return math.fsum(sums) / sum(counts)
