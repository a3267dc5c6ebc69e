# fails: sequences_per_step_any_cluster
# says: the number of copies must be a power of two
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    num_ranks = num_gpus // gpus_per_copy
    if num_gpus % gpus_per_copy or num_ranks & (num_ranks - 1):
        raise ValueError("the number of copies must be a power of two")
    return num_ranks * micro_batch * accumulation_steps
