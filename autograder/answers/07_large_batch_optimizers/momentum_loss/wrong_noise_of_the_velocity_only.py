# fails: momentum_loss_by_hand, momentum_loss_against_runs, momentum_loss_limits
# says: the noise hits θ in the same step, too, through -η v
def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    matrix = np.array([[1 - rate * curvature, -rate * momentum], [curvature, momentum]])
    push = np.array([0.0, 1.0])
    added = noise / batch_size * np.outer(push, push)
    moments = np.array([[start, 0.0], [0.0, 0.0]])
    for _ in range(num_steps):
        moments = matrix @ moments @ matrix.T + added
    return curvature * moments[0, 0] / 2
