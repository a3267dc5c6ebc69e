def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return np.array([np.floor(micro_steps / accumulation_steps), micro_steps * num_ranks * micro_batch / num_examples])
