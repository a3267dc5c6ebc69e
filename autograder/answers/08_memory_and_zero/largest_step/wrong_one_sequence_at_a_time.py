# fails: largest_step_by_hand, largest_step_properties
# says: micro-batches of one: the largest that fits is asked for
def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    if free_bytes < bytes_per_sequence:
        raise ValueError("not one sequence fits")
    accumulation_steps = int(patience // seconds_per_sequence)
    return 1, accumulation_steps, num_ranks * accumulation_steps
