# fails: run_seconds_by_hand, run_seconds_properties
# says: round up the number of steps, not the seconds
def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    steps = num_examples / (num_ranks * micro_batch * accumulation_steps)
    return np.ceil(steps * (accumulation_steps * micro_batch * seconds_per_example + seconds_per_sync))
