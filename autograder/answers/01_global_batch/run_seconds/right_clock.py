def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    clock = 0.0
    unread = num_examples
    while unread > 0:
        for micro_step in range(accumulation_steps):
            clock += micro_batch * seconds_per_example
            unread -= num_ranks * micro_batch
        clock += seconds_per_sync
    return clock
