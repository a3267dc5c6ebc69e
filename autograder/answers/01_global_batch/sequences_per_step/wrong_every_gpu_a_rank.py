# fails: sequences_per_step_pythia, sequences_per_step_any_cluster
# says: all 256 GPUs are counted as ranks, but four of them work on the same sequences
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    if num_gpus % gpus_per_copy:
        raise ValueError("no whole number of copies")
    return num_gpus * micro_batch * accumulation_steps
