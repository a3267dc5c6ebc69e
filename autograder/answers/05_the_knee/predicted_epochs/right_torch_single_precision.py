import torch


def predicted_epochs(area, batch_size, num_examples):
    t = torch.arange(20_000)
    rates = 0.05 * batch_size / 32 * torch.clamp((t + 1) / (5 * batch_size // 32), max=1)
    steps = (rates.cumsum(0) < area).sum() + 1
    steps_per_epoch = -(-num_examples // batch_size)
    return -(-steps // steps_per_epoch)
