def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    with_accumulation = fixed_bytes + micro_batch * bytes_per_sequence
    freed = (global_batch - micro_batch) * bytes_per_sequence
    return 1 + freed / with_accumulation
