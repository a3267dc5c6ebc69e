def run(num_ranks, micro_batch, accumulation_steps):
    return num_ranks * micro_batch * accumulation_steps


def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return run(num_ranks, micro_batch, accumulation_steps) * sequence_length
