def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    optimizer_steps, waiting = divmod(micro_steps, accumulation_steps)
    micro_steps_read = optimizer_steps * accumulation_steps + waiting
    return [optimizer_steps, micro_steps_read / (num_examples / (num_ranks * micro_batch))]
