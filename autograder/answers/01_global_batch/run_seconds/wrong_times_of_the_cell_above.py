# fails: run_seconds_properties
# says: 36 seconds (the example of the text)
def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    steps = -(-num_examples // (num_ranks * micro_batch * accumulation_steps))
    return steps * (accumulation_steps * micro_batch * 0.01 + 0.05)
