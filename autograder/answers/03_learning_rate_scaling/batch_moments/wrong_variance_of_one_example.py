# fails: batch_moments_by_hand, batch_moments_properties
# says: this is the variance of one example; the mean square is right, the variance needs the 1/B too
def batch_moments(gradients, batch):
    variance = np.var(gradients)
    return variance, np.mean(gradients) ** 2 + variance / batch
