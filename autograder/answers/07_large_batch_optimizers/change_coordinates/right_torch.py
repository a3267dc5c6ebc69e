def change_coordinates(curvatures, noises, starts, power):
    h, c, m = (torch.as_tensor(x, dtype=torch.float64) for x in (curvatures, noises, starts))
    scale = torch.exp(power * torch.log(h))
    return h / scale, c / scale, m * scale
