# fails: progress_any_moment
# says: [0, 0.2] (before the first optimizer step)
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return max(1, micro_steps // accumulation_steps), micro_steps * num_ranks * micro_batch / num_examples
