# fails: progress_by_hand, progress_any_moment
# says: an array of shape (2,) is asked for, this is one number
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps // accumulation_steps
