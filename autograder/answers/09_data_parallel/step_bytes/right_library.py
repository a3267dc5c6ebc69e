def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    from largebatch import collectives

    if strategy not in ("ddp", "ddp no_sync", "zero1", "zero2", "zero3"):
        raise ValueError("no such strategy")
    return torch.tensor(collectives.step_bytes(strategy, num_bytes, num_ranks, accumulation_steps))
