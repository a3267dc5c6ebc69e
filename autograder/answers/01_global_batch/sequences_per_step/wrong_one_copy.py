# fails: sequences_per_step_pythia, sequences_per_step_any_cluster
# says: this is what one copy contributes; there are 64 of them
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    if num_gpus % gpus_per_copy:
        raise ValueError("no whole number of copies")
    return micro_batch * accumulation_steps
