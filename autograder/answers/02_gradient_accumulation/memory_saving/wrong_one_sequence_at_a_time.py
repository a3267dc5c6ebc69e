# fails: memory_saving_by_hand, memory_saving_limits
# says: a micro-batch has 4 sequences here, not one
# says: no accumulation
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return (fixed_bytes + global_batch * bytes_per_sequence) / (fixed_bytes + bytes_per_sequence)
