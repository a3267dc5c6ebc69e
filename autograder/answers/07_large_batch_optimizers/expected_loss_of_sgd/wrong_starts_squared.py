# fails: expected_loss_of_sgd_by_hand, expected_loss_of_sgd_properties
# says: the starts are mean squares already
def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    curvatures, noises, mean_squares = np.array(curvatures), np.array(noises), np.array(starts, dtype=float)
    shrink = 1 - rate * curvatures
    mean_squares = mean_squares**2
    for _ in range(num_steps):
        mean_squares = shrink**2 * mean_squares + rate**2 * noises / batch_size
    return (curvatures * mean_squares).sum() / 2
