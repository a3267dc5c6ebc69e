def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    if bytes_per_sequence > free_bytes:
        raise ValueError("not one sequence fits")
    micro_batch = math.floor(free_bytes / bytes_per_sequence)
    accumulation_steps = math.floor(patience / (micro_batch * seconds_per_sequence))
    return micro_batch, accumulation_steps, micro_batch * accumulation_steps * num_ranks
