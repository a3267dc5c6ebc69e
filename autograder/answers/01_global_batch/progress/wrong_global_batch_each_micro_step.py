# fails: progress_by_hand, progress_any_moment
# says: K is in the number of micro-steps
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    global_batch = num_ranks * micro_batch * accumulation_steps
    return micro_steps // accumulation_steps, micro_steps * global_batch / num_examples
