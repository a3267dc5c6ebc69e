def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    fixed_sequences = fixed_bytes / bytes_per_sequence  # as much memory as this many sequences
    return (fixed_sequences + global_batch) / (fixed_sequences + micro_batch)
