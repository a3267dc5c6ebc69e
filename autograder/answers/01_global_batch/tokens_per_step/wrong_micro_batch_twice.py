# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: the micro-batch is in it twice
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    sequences_per_step = num_ranks * micro_batch * accumulation_steps
    tokens_per_micro_batch = micro_batch * sequence_length
    return sequences_per_step * tokens_per_micro_batch
