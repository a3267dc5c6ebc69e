def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    h, c, second_moment = (torch.as_tensor(x, dtype=torch.float64) for x in (curvatures, noises, starts))
    for _ in range(num_steps):
        second_moment = (1 - rate * h) ** 2 * second_moment + rate**2 * c / batch_size
    return 0.5 * torch.dot(h, second_moment)
