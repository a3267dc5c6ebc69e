# fails: momentum_loss_by_hand, momentum_loss_against_runs, momentum_loss_limits
# says: the noise is missing
def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    theta, velocity = start**0.5, 0.0  # the mean path
    for _ in range(num_steps):
        velocity = momentum * velocity + curvature * theta
        theta = theta - rate * velocity
    return 0.5 * curvature * theta**2
