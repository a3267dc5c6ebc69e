# fails: progress_any_moment
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    micro_steps_in_an_epoch = num_examples // (num_ranks * micro_batch)
    return micro_steps // accumulation_steps, micro_steps / micro_steps_in_an_epoch
