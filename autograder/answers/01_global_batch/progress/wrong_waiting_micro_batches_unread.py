# fails: progress_by_hand, progress_any_moment
# says: micro-batches that wait for their optimizer step have been read too
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    optimizer_steps = micro_steps // accumulation_steps
    return optimizer_steps, optimizer_steps * accumulation_steps * num_ranks * micro_batch / num_examples
