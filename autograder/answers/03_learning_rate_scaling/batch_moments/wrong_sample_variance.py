# fails: batch_moments_by_hand, batch_moments_properties
# says: you divided the variance by N - 1, as for a sample; the gradients are the whole data set
import statistics


def batch_moments(gradients, batch):
    variance = statistics.variance(gradients) / batch
    return variance, np.mean(gradients) ** 2 + variance
