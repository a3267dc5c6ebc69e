def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    # the path from θ = 1 without noise, and the path that a single random gradient of size 1 causes
    def path(theta, velocity, steps):
        for _ in range(steps):
            velocity = momentum * velocity + curvature * theta
            theta = theta - rate * velocity
        return theta

    quiet = path(1.0, 0.0, num_steps) ** 2 * start
    pushes = sum(path(-rate, 1.0, steps) ** 2 for steps in range(num_steps))
    return curvature / 2 * (quiet + noise / batch_size * pushes)
