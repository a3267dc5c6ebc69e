def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    tokens = 0
    for rank in range(num_ranks):
        for micro_step in range(accumulation_steps):
            tokens += micro_batch * sequence_length
    return tokens
