class HalfACopy(ValueError):
    """Some GPUs do not make a whole copy of the model."""


def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    free, sequences = num_gpus, 0
    while free >= gpus_per_copy:
        free -= gpus_per_copy
        sequences += micro_batch * accumulation_steps
    if free != 0:
        raise HalfACopy
    return sequences
