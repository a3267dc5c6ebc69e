# fails: batch_moments_by_hand, batch_moments_properties
# says: the mean square was divided by B as a whole; G² does not shrink, only the noise does
def batch_moments(gradients, batch):
    return np.var(gradients) / batch, np.mean(gradients**2) / batch
