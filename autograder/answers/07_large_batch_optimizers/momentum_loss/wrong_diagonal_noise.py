# fails: momentum_loss_by_hand, momentum_loss_against_runs, momentum_loss_limits
# says: θ and v are hit by the same random number: the entries beside the diagonal are -η c / B
def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    matrix = np.array([[1 - rate * curvature, -rate * momentum], [curvature, momentum]])
    push = np.array([-rate, 1.0])
    added = noise / batch_size * np.diag(push**2)
    moments = np.array([[start, 0.0], [0.0, 0.0]])
    for _ in range(num_steps):
        moments = matrix @ moments @ matrix.T + added
    return curvature * moments[0, 0] / 2
