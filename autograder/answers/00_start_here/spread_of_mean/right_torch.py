import torch


def spread_of_mean(spread, batch_size):
    return spread * torch.tensor(float(batch_size), requires_grad=True).rsqrt()
