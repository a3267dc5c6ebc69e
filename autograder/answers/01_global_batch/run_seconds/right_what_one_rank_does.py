def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    def up(a, b):
        return -(-a // b)

    examples_of_a_rank = up(num_examples, num_ranks)
    micro_steps = up(examples_of_a_rank, micro_batch)
    optimizer_steps = up(micro_steps, accumulation_steps)
    compute = optimizer_steps * accumulation_steps * micro_batch * seconds_per_example
    return compute + optimizer_steps * seconds_per_sync
