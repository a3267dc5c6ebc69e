def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return np.prod([num_ranks, micro_batch, accumulation_steps, sequence_length])
