# fails: batch_moments_by_hand, batch_moments_properties
# says: the mean square of the gradient contains its mean, squared: add G²
def batch_moments(gradients, batch):
    centred = gradients - gradients.mean()
    return np.var(gradients) / batch, np.mean(centred**2) / batch
