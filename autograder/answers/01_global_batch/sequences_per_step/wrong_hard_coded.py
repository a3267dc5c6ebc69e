# fails: sequences_per_step_any_cluster
# says: 140 sequences (12 GPUs, 3 for each copy)
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    if num_gpus % gpus_per_copy:
        raise ValueError("no whole number of copies")
    return 1024
