# fails: batch_moments_by_hand, batch_moments_properties
# says: N divides the variance here; it is B
def batch_moments(gradients, batch):
    variance = np.var(gradients) / len(gradients)
    return variance, np.mean(gradients) ** 2 + variance
