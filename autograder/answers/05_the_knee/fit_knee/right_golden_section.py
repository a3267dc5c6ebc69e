import math


def fit_knee(batch_sizes, steps):
    def left(log_knee):
        rest = [math.log(s / (1 + math.exp(log_knee) / b)) for b, s in zip(batch_sizes, steps)]
        mean = sum(rest) / len(rest)
        return sum((r - mean) ** 2 for r in rest), math.exp(mean)

    # coarse first, so that the minimum is bracketed, then golden section
    coarse = min((i / 2 for i in range(-6, 30)), key=left)
    low, high, golden = coarse - 0.5, coarse + 0.5, (math.sqrt(5) - 1) / 2
    while high - low > 1e-6:
        a, b = high - golden * (high - low), low + golden * (high - low)
        if left(a) < left(b):
            high = b
        else:
            low = a
    return [left(low)[1], math.exp(low)]
