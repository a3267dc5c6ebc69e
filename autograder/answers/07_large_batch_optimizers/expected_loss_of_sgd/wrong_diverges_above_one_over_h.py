# fails: expected_loss_of_sgd_by_hand, expected_loss_of_sgd_properties
# says: between 1/h and 2/h
def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    h, c, m = np.asarray(curvatures), np.asarray(noises), np.asarray(starts)
    if np.any(rate > 1 / h):
        return np.inf
    r = 1 - rate * h
    left = r ** (2 * num_steps)
    return np.sum(0.5 * h * left * m + (1 - left) * rate * c / (2 * batch_size * (2 - rate * h)))
