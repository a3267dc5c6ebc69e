# fails: progress_by_hand, progress_any_moment
# says: all ranks take an optimizer step together
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps // (accumulation_steps * num_ranks), micro_steps * num_ranks * micro_batch / num_examples
