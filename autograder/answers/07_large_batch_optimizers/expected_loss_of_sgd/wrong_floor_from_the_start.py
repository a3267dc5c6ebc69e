# fails: expected_loss_of_sgd_by_hand, expected_loss_of_sgd_properties
# says: after t steps the noise has filled the share 1 - r^2t of it
def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    total = 0.0
    for h, c, m in zip(curvatures, noises, starts):
        r = 1 - rate * h
        total += 0.5 * h * r ** (2 * num_steps) * m
        total += rate * c / (2 * batch_size * (2 - rate * h))
    return total
