# fails: expected_loss_of_sgd_properties
def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    h, c, m = np.array(curvatures), np.array(noises), np.array(starts)
    for _ in range(num_steps):
        m *= (1 - rate * h) ** 2
        m += rate**2 * c / batch_size
    return (h * m).sum() / 2
