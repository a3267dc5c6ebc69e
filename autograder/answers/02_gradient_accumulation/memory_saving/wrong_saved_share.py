# fails: memory_saving_by_hand, memory_saving_limits
# says: this is the share that is saved
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    at_once = fixed_bytes + global_batch * bytes_per_sequence
    return (global_batch - micro_batch) * bytes_per_sequence / at_once
