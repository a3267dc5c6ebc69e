# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: the ranks are in it twice
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    sequences_per_micro_step = num_ranks * micro_batch
    tokens_per_micro_step = num_ranks * sequences_per_micro_step * sequence_length
    return tokens_per_micro_step * accumulation_steps
