def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    loss = 0.0
    for direction in range(len(curvatures)):
        h, c = float(curvatures[direction]), float(noises[direction])
        mean_square = float(starts[direction])
        for step in range(num_steps):
            shrunk = (1 - rate * h) ** 2 * mean_square
            mean_square = shrunk + rate**2 * c / batch_size
        loss += 0.5 * h * mean_square
    return loss
