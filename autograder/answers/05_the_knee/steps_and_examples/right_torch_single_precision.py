import torch


def steps_and_examples(s_min, b_crit, batch_size):
    s_min, b_crit, batch_size = torch.tensor([s_min, b_crit, batch_size], dtype=torch.float32)
    steps = s_min * (1 + b_crit / batch_size)
    return torch.stack([steps, steps * batch_size])
