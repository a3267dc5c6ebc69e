# fails: step_bytes_by_hand, step_bytes_properties
# says: without no_sync, the gradients of each micro-batch are reduced
# says: without no_sync, every backward pass is followed by an all-reduce
def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    times_round = {
        "ddp": 2,
        "ddp no_sync": 2,
        "zero1": 2,
        "zero2": accumulation_steps + 1,
        "zero3": 3 * accumulation_steps,
    }
    if strategy not in times_round:
        raise ValueError(strategy)
    return times_round[strategy] * (num_ranks - 1) / num_ranks * num_bytes
