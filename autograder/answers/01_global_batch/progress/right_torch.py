import torch


def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    steps = torch.div(torch.tensor(micro_steps), accumulation_steps, rounding_mode="floor")
    return steps, torch.tensor(micro_steps * num_ranks * micro_batch) / num_examples
