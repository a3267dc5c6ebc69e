# fails: largest_step_by_hand, largest_step_properties
# says: the global batch counts the sequences of all ranks
def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    micro_batch = int(free_bytes // bytes_per_sequence)
    if micro_batch < 1:
        raise ValueError("not one sequence fits")
    accumulation_steps = int(patience // (micro_batch * seconds_per_sequence))
    return micro_batch, accumulation_steps, micro_batch * accumulation_steps
