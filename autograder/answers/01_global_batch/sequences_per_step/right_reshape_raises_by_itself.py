def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    copies = np.arange(num_gpus).reshape(-1, gpus_per_copy)
    return np.int64(len(copies)) * micro_batch * accumulation_steps
