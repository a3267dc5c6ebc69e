# fails: memory_saving_by_hand, memory_saving_limits
# says: the fixed bytes are there with accumulation too
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return (fixed_bytes + global_batch * bytes_per_sequence) / (micro_batch * bytes_per_sequence)
