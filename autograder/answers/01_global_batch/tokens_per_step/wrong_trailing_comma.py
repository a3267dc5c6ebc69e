# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: one number is asked for, this is an array of shape (1,)
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return num_ranks * micro_batch * accumulation_steps * sequence_length,
