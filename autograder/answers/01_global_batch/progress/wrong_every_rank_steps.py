# fails: progress_by_hand, progress_any_moment
# says: every rank is counted as a step of its own: a schedule wired so is over after a quarter of the run
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps * num_ranks // accumulation_steps, micro_steps * num_ranks * micro_batch / num_examples
