# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: 13,107,200 tokens
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return sequences.size * sequence_length
