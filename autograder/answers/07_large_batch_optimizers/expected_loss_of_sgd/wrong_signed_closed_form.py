# fails: expected_loss_of_sgd_by_hand, expected_loss_of_sgd_properties
# says: the mean square shrinks by (1 - ηh)^2t in t steps
def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    total = 0.0
    for h, c, m in zip(curvatures, noises, starts):
        r = 1 - rate * h
        total += 0.5 * h * r**num_steps * m
        total += (1 - r**num_steps) * rate * c / (2 * batch_size * (2 - rate * h))
    return total
