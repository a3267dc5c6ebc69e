# fails: largest_step_by_hand, largest_step_properties
# says: a micro-batch of 4 sequences takes four times as long as one
def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    micro_batch = int(free_bytes // bytes_per_sequence)
    if micro_batch < 1:
        raise ValueError("not one sequence fits")
    accumulation_steps = int(patience // seconds_per_sequence)
    return micro_batch, accumulation_steps, num_ranks * micro_batch * accumulation_steps
