def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    K = accumulation_steps
    reduce_scatters = {"ddp": K, "ddp no_sync": 1, "zero1": 1, "zero2": K, "zero3": K}
    all_gathers = {"ddp": K, "ddp no_sync": 1, "zero1": 1, "zero2": 1, "zero3": 2 * K}
    try:
        rounds = reduce_scatters[strategy] + all_gathers[strategy]
    except KeyError:
        raise ValueError(f"unknown strategy {strategy}") from None
    return rounds * (num_bytes - num_bytes / num_ranks)
