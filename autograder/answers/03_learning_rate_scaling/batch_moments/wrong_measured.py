# fails: batch_moments_by_hand, batch_moments_properties
# says: expected [0.625, 16.625] (variance, mean square)
def batch_moments(gradients, batch):
    rng = np.random.default_rng(0)
    averages = rng.choice(gradients, (10_000, min(batch, 100))).mean(axis=1)
    return averages.var(), np.mean(averages**2)
