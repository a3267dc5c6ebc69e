# fails: batch_moments_by_hand, batch_moments_properties
# says: this is the variance and the mean square of one example; averaging divides the variance by B
def batch_moments(gradients, batch):
    return np.var(gradients), np.mean(gradients**2)
