# fails: batch_moments_by_hand, batch_moments_properties
# says: this is drawn without replacement
def batch_moments(gradients, batch):
    variance = np.var(gradients) * (1 / batch - 1 / len(gradients))
    return variance, np.mean(gradients) ** 2 + variance
