# fails: batch_moments_by_hand, batch_moments_properties
# says: the mean square still holds the variance of one example; G² + σ²/B
def batch_moments(gradients, batch):
    return np.var(gradients) / batch, np.mean(gradients**2)
