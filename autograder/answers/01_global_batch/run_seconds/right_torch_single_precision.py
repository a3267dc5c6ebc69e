import torch


def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    share = torch.tensor(micro_batch * accumulation_steps, dtype=torch.float32)
    steps = torch.ceil(num_examples / (num_ranks * share))
    return steps * (share * torch.tensor(seconds_per_example) + torch.tensor(seconds_per_sync))
