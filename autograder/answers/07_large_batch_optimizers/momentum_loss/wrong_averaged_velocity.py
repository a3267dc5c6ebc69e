# fails: momentum_loss_by_hand, momentum_loss_against_runs, momentum_loss_limits
# says: here v ← β v + g; this has (1 - β) g
def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    matrix = np.array(
        [[1 - rate * (1 - momentum) * curvature, -rate * momentum], [(1 - momentum) * curvature, momentum]]
    )
    push = np.array([-rate * (1 - momentum), 1 - momentum])
    added = noise / batch_size * np.outer(push, push)
    moments = np.array([[start, 0.0], [0.0, 0.0]])
    for _ in range(num_steps):
        moments = matrix @ moments @ matrix.T + added
    return curvature * moments[0, 0] / 2
