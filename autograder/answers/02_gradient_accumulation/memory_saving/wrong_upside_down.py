# fails: memory_saving_by_hand, memory_saving_limits
# says: this is the inverse: memory with accumulation over memory without
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return (fixed_bytes + micro_batch * bytes_per_sequence) / (fixed_bytes + global_batch * bytes_per_sequence)
