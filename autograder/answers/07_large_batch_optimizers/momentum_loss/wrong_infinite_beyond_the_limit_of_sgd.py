# fails: momentum_loss_limits
# says: h 1.0, rate 3.5, momentum 0.95
def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    if rate >= 2 / curvature:
        return np.inf  # it diverges
    matrix = np.array([[1 - rate * curvature, -rate * momentum], [curvature, momentum]])
    push = np.array([-rate, 1.0])
    moments = np.array([[start, 0.0], [0.0, 0.0]])
    for _ in range(num_steps):
        moments = matrix @ moments @ matrix.T + noise / batch_size * np.outer(push, push)
    return curvature * moments[0, 0] / 2
