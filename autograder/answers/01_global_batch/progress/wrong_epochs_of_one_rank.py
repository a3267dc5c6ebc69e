# fails: progress_by_hand, progress_any_moment
# says: the epochs count only what one rank has read; the other three read other examples
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps // accumulation_steps, micro_steps * micro_batch / num_examples
