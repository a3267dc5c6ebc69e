import torch


def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return torch.tensor([num_ranks, micro_batch, accumulation_steps, sequence_length]).prod()
