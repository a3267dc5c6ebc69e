# fails: step_bytes_by_hand, step_bytes_properties
# says: this is what DDP sends: ZeRO-3 gathers twice a micro-batch
def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    times_round = {
        "ddp": 2 * accumulation_steps,
        "ddp no_sync": 2,
        "zero1": 2,
        "zero2": accumulation_steps + 1,
        "zero3": 2 * accumulation_steps,
    }
    if strategy not in times_round:
        raise ValueError(strategy)
    return times_round[strategy] * (num_ranks - 1) / num_ranks * num_bytes
