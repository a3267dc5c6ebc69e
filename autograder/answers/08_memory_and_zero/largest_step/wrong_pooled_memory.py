# fails: largest_step_by_hand, largest_step_properties
# says: each rank holds its own activations: the free memory of the others does not help
def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    micro_batch = int(num_ranks * free_bytes // bytes_per_sequence)
    if micro_batch < 1:
        raise ValueError("not one sequence fits")
    accumulation_steps = int(patience // (micro_batch * seconds_per_sequence))
    return micro_batch, accumulation_steps, num_ranks * micro_batch * accumulation_steps
