# fails: batch_moments_by_hand, batch_moments_properties
# says: the order is (variance, mean_square)
def batch_moments(gradients, batch):
    variance = np.var(gradients) / batch
    return np.mean(gradients) ** 2 + variance, variance
