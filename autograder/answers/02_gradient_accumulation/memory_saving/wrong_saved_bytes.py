# fails: memory_saving_by_hand, memory_saving_limits
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return (global_batch - micro_batch) * bytes_per_sequence
