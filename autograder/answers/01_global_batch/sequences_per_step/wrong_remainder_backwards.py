# fails: sequences_per_step_pythia, sequences_per_step_any_cluster
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    if gpus_per_copy % num_gpus:
        raise ValueError("no whole number of copies")
    return num_gpus // gpus_per_copy * micro_batch * accumulation_steps
