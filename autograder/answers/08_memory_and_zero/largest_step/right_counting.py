def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    micro_batch = accumulation_steps = 0
    while (micro_batch + 1) * bytes_per_sequence <= free_bytes:
        micro_batch += 1
    if micro_batch == 0:
        raise ValueError("no memory")
    while (accumulation_steps + 1) * micro_batch * seconds_per_sequence <= patience:
        accumulation_steps += 1
    return [micro_batch, accumulation_steps, micro_batch * accumulation_steps * num_ranks]
