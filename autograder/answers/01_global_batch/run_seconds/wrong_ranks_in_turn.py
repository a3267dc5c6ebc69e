# fails: run_seconds_by_hand, run_seconds_properties
# says: the ranks work one after the other; they work at the same time
def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    global_batch = num_ranks * micro_batch * accumulation_steps
    steps = -(-num_examples // global_batch)
    return steps * (global_batch * seconds_per_example + seconds_per_sync)
