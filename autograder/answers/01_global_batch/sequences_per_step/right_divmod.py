def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    num_ranks, left_over = divmod(num_gpus, gpus_per_copy)
    if left_over > 0:
        raise ValueError("GPUs are left over")
    return num_ranks * micro_batch * accumulation_steps
