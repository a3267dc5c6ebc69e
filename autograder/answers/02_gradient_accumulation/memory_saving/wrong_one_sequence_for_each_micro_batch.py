# fails: memory_saving_by_hand, memory_saving_limits
# says: 4 sequences are in memory at a time, not as many as there are micro-batches
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    accumulation_steps = global_batch // micro_batch
    return (fixed_bytes + global_batch * bytes_per_sequence) / (fixed_bytes + accumulation_steps * bytes_per_sequence)
