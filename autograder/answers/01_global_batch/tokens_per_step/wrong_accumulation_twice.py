# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: the accumulation steps are in it twice
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    sequences_per_rank = micro_batch * accumulation_steps
    return num_ranks * sequences_per_rank * accumulation_steps * sequence_length
