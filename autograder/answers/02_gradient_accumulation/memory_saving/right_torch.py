def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    fixed, sequence, batch, micro = torch.tensor(
        [fixed_bytes, bytes_per_sequence, global_batch, micro_batch], dtype=torch.float64
    )
    return (fixed + batch * sequence) / (fixed + micro * sequence)
