# fails: tokens_per_step_by_hand, tokens_per_step_any_run
# says: the function ends without `return`
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    print(num_ranks * micro_batch * accumulation_steps * sequence_length)
