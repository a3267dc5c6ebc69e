# fails: batch_moments_by_hand, batch_moments_properties
# says: the mean square is larger than the square of the mean: add the variance
def batch_moments(gradients, batch):
    return np.var(gradients) / batch, np.mean(gradients) ** 2
