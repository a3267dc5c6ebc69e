# fails: step_bytes_by_hand, step_bytes_properties
# says: this sends the whole tensor to 8 ranks; on a ring each rank sends pieces of an eighth to one other
def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    times_round = {
        "ddp": accumulation_steps,
        "ddp no_sync": 1,
        "zero1": 1,
        "zero2": accumulation_steps + 1,
        "zero3": 3 * accumulation_steps,
    }
    if strategy not in times_round:
        raise ValueError(strategy)
    return times_round[strategy] * num_ranks * num_bytes
