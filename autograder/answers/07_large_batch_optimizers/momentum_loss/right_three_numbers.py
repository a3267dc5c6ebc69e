def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    # E θ², E θv, E v²; the new gradient is h θ + noise
    square, mixed, speed = start, 0.0, 0.0
    variance = noise / batch_size
    for _ in range(num_steps):
        new_speed = momentum**2 * speed + 2 * momentum * curvature * mixed + curvature**2 * square + variance
        theta_with_new_v = momentum * mixed + curvature * square
        square, mixed, speed = (
            square - 2 * rate * theta_with_new_v + rate**2 * new_speed,
            theta_with_new_v - rate * new_speed,
            new_speed,
        )
    return 0.5 * curvature * square
