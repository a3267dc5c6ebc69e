# fails: momentum_loss_by_hand, momentum_loss_against_runs, momentum_loss_limits
# says: this is SGD with the rate η / (1 - β): the same in the long run, not over three steps
def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    rate = rate / (1 - momentum)
    mean_square = start
    for _ in range(num_steps):
        mean_square = (1 - rate * curvature) ** 2 * mean_square + rate**2 * noise / batch_size
    return curvature * mean_square / 2
