# fails: sequences_per_step_pythia, sequences_per_step_any_cluster
# says: got AssertionError
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    assert num_gpus % gpus_per_copy == 0, "no whole number of copies"
    return num_gpus // gpus_per_copy * micro_batch * accumulation_steps
