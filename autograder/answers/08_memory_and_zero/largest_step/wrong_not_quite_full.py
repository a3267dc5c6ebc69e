# fails: largest_step_properties
# says: everything fits exactly, one rank
def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    micro_batch = math.ceil(free_bytes / bytes_per_sequence) - 1  # always something left over
    if micro_batch < 1:
        raise ValueError("not one sequence fits")
    accumulation_steps = int(patience // (micro_batch * seconds_per_sequence))
    return micro_batch, accumulation_steps, num_ranks * micro_batch * accumulation_steps
