# fails: batch_moments_by_hand, batch_moments_properties
# says: the variance was multiplied by B
def batch_moments(gradients, batch):
    variance = sum(np.var(gradients) for _ in range(batch))
    return variance, np.mean(gradients) ** 2 + variance
