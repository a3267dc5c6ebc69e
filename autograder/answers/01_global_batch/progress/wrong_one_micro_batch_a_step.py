# fails: progress_by_hand, progress_any_moment
# says: the epochs count one micro-batch for each optimizer step
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    optimizer_steps = micro_steps // accumulation_steps
    return optimizer_steps, optimizer_steps * num_ranks * micro_batch / num_examples
