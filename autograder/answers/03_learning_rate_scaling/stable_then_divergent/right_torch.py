import torch


def stable_then_divergent(factor):
    return torch.tensor(2.0), torch.tensor([2 / factor, 2.0]).mean() / 2
