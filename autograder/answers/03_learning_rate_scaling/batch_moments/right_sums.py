def batch_moments(gradients, batch):
    mean = sum(gradients) / len(gradients)
    variance = sum((g - mean) ** 2 for g in gradients) / len(gradients)
    return [variance / batch, mean * mean + variance / batch]
