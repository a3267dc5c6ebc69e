def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    matrix = torch.tensor([[1 - rate * curvature, -rate * momentum], [curvature, momentum]])
    push = torch.tensor([[-rate], [1.0]])
    moments = torch.zeros(2, 2)
    moments[0, 0] = start
    for _ in range(num_steps):
        moments = matrix @ moments @ matrix.T + push @ push.T * noise / batch_size
    return moments[0, 0] * curvature / 2
