# fails: batch_moments_properties
# says: all batches of 1 of three examples
def batch_moments(gradients, batch):
    drawn = gradients[:batch]
    return np.var(drawn) / batch, np.mean(drawn) ** 2 + np.var(drawn) / batch
