import torch


def batch_moments(gradients, batch):
    gradients = torch.as_tensor(gradients, dtype=torch.float32)
    variance, mean = torch.var_mean(gradients, correction=0)
    return variance / batch, mean**2 + variance / batch
