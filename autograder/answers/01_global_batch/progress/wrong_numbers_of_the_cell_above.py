# fails: progress_any_moment
# says: [0, 0.2] (before the first optimizer step)
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps // 10, micro_steps * 4 * 5 / 2000
