def ranks_of(num_gpus, gpus_per_copy):
    return {gpu // gpus_per_copy for gpu in range(num_gpus)}


def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    if num_gpus % gpus_per_copy != 0:
        raise ValueError(num_gpus, gpus_per_copy)
    return np.array(len(ranks_of(num_gpus, gpus_per_copy=gpus_per_copy)) * micro_batch * accumulation_steps)
