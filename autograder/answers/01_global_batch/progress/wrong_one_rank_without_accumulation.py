# fails: progress_by_hand, progress_any_moment
# says: every micro-step is counted as an optimizer step, and the epochs count only one rank
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps, micro_steps * micro_batch / num_examples
