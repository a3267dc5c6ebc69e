import torch


def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    sizes = torch.arange(1, max_micro_batch + 1)
    micro_batch = sizes[global_batch // num_ranks % sizes == 0][-1]
    return micro_batch, global_batch // num_ranks // micro_batch
