# fails: batch_moments_by_hand, batch_moments_properties
# says: the variance is divided by √B; that is how the standard deviation falls
def batch_moments(gradients, batch):
    variance = np.var(gradients) / np.sqrt(batch)
    return variance, np.mean(gradients) ** 2 + variance
