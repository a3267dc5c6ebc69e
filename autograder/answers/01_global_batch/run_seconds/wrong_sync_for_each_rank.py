# fails: run_seconds_by_hand, run_seconds_properties
# says: the synchronisation is paid once for each rank; it is one operation that all ranks do together
def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    steps = -(-num_examples // (num_ranks * micro_batch * accumulation_steps))
    return steps * (accumulation_steps * micro_batch * seconds_per_example + num_ranks * seconds_per_sync)
