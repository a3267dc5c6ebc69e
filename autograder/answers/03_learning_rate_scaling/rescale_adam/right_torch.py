import torch


def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    factor = new_batch / batch
    settings = torch.tensor([learning_rate, 1 - beta1, 1 - beta2, epsilon])  # 32 bits
    settings *= torch.tensor([factor**0.5, factor, factor, factor**-0.5])
    settings[1:3] = 1 - settings[1:3]
    if (settings < 0).any():
        raise ValueError("a beta would be negative")
    return settings
