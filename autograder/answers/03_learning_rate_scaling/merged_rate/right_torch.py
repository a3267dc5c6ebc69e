import torch


def merged_rate(learning_rate, curvature, num_steps):
    left = torch.prod(torch.full((num_steps,), 1 - learning_rate * curvature))  # 32 bits
    return (1 - left) / curvature
