# fails: progress_by_hand, progress_any_moment
# says: the optimizer steps once in 10 micro-steps, not after each: a schedule wired so is over after a tenth of the run
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps, micro_steps * num_ranks * micro_batch / num_examples
