# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: the accumulation steps are missing: the optimizer waits for all 50 micro-batches
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return num_ranks * micro_batch * sequence_length
