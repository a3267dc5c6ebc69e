import math


def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    steps = math.ceil(num_examples / (num_ranks * micro_batch * accumulation_steps))
    return steps * accumulation_steps * micro_batch * seconds_per_example + steps * seconds_per_sync
