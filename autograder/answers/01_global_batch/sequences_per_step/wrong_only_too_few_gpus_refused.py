# fails: sequences_per_step_pythia, sequences_per_step_any_cluster
# says: ValueError, because 10 GPUs do not make whole copies of 4
# says: the impossible case is not caught
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    if num_gpus < gpus_per_copy:
        raise ValueError("not one copy fits")
    return num_gpus // gpus_per_copy * micro_batch * accumulation_steps
