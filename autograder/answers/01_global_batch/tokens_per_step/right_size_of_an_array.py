def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    sequences = np.empty((num_ranks, accumulation_steps, micro_batch))
    return float(sequences.size) * sequence_length
