# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: these are the tokens of one micro-batch on one rank
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    return micro_batch * sequence_length
