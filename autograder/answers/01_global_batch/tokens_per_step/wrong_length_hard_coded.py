# fails: tokens_per_step_any_run
# says: ranks, micro-batch, accumulation, length = (8, 2, 128, 2048)
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return num_ranks * micro_batch * accumulation_steps * 4096
