# fails: step_bytes_by_hand, step_bytes_properties
# says: this reduces once a step; ZeRO-2 keeps no whole gradients, so it must do so in each micro-batch
def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    times_round = {
        "ddp": 2 * accumulation_steps,
        "ddp no_sync": 2,
        "zero1": 2,
        "zero2": 2,
        "zero3": 3 * accumulation_steps,
    }
    if strategy not in times_round:
        raise ValueError(strategy)
    return times_round[strategy] * (num_ranks - 1) / num_ranks * num_bytes
