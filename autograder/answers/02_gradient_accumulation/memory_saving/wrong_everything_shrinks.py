# fails: memory_saving_by_hand, memory_saving_limits
# says: only the activations shrink by the number of micro-batches; the rest stays
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return global_batch / micro_batch
