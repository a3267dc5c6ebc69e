# fails: progress_by_hand, progress_any_moment
# says: the order is (optimizer_steps, epochs)
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps * num_ranks * micro_batch / num_examples, micro_steps // accumulation_steps
