# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: the micro-batch is missing: each rank runs 4 sequences at a time
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return num_ranks * accumulation_steps * sequence_length
