def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    micro_batch = torch.floor(torch.tensor(free_bytes / bytes_per_sequence))
    if not micro_batch >= 1:
        raise ValueError(f"{free_bytes} bytes are too few")
    sequences_of_a_rank = torch.tensor(patience / seconds_per_sequence)
    accumulation_steps = torch.div(sequences_of_a_rank, micro_batch, rounding_mode="floor")
    return torch.stack([micro_batch, accumulation_steps, num_ranks * micro_batch * accumulation_steps])
