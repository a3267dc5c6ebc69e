# fails: sequences_per_step_any_cluster
# says: ValueError, because 2 GPUs do not make one copy of 4
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    num_ranks = max(1, num_gpus // gpus_per_copy)
    if num_ranks > 1 and num_gpus % gpus_per_copy:
        raise ValueError("GPUs are left over")
    return num_ranks * micro_batch * accumulation_steps
