# fails: batch_moments_by_hand, batch_moments_properties
# says: G enters squared
def batch_moments(gradients, batch):
    variance = np.var(gradients) / batch
    return variance, np.mean(gradients) + variance
