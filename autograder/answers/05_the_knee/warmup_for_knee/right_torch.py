import torch


def warmup_for_knee(knee):
    steps = torch.tensor(3.0 * 20_000 / knee)
    return steps.square() * 0.05 / 32 / (2 * area)
