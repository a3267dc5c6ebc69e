# fails: sequences_per_step_pythia, sequences_per_step_any_cluster
# says: the impossible case is not caught
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    if num_gpus % gpus_per_copy:
        return ValueError("no whole number of copies")
    return num_gpus // gpus_per_copy * micro_batch * accumulation_steps
