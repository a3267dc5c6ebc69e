# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: these are sequences; each of them has 4096 tokens
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return num_ranks * micro_batch * accumulation_steps
