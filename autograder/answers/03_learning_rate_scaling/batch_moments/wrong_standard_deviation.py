# fails: batch_moments_by_hand, batch_moments_properties
# says: the first is a standard deviation; asked for is the variance
def batch_moments(gradients, batch):
    noise = np.std(gradients) / np.sqrt(batch)
    return noise, np.mean(gradients) ** 2 + noise**2
