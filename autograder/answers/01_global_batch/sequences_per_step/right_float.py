def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    num_ranks = num_gpus / gpus_per_copy
    if not num_ranks.is_integer():
        raise ValueError(f"{num_ranks} copies of the model")
    return num_ranks * micro_batch * accumulation_steps
