# fails: progress_any_moment
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    examples_of_a_rank = num_examples // num_ranks
    return micro_steps // accumulation_steps, micro_steps * micro_batch / examples_of_a_rank
