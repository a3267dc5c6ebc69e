# fails: largest_step_by_hand, largest_step_properties
# says: this micro-batch does not fit: round down
def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    if free_bytes < bytes_per_sequence:
        raise ValueError("not one sequence fits")
    micro_batch = math.ceil(free_bytes / bytes_per_sequence)
    accumulation_steps = math.ceil(patience / (micro_batch * seconds_per_sequence))
    return micro_batch, accumulation_steps, num_ranks * micro_batch * accumulation_steps
