def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    curvatures, noises, starts = map(np.asarray, (curvatures, noises, starts))
    shrink = 1 - rate * curvatures
    variance = np.zeros(len(starts))  # of a run that began at a fixed place
    for _ in range(num_steps):
        variance *= shrink**2
        variance += rate**2 * noises / batch_size
    mean_squares = starts * shrink ** (2 * num_steps) + variance
    return float(np.sum(curvatures * mean_squares)) / 2
