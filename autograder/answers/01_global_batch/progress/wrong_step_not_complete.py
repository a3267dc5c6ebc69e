# fails: progress_by_hand, progress_any_moment
# says: the 31st optimizer step is not complete: round down
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return -(-micro_steps // accumulation_steps), micro_steps * num_ranks * micro_batch / num_examples
