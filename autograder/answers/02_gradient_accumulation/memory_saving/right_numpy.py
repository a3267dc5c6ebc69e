def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    needed = np.array([1.0, 1.0]) * fixed_bytes + np.array([global_batch, micro_batch]) * bytes_per_sequence
    return np.divide(*needed)
