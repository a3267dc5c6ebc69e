def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    def step_bytes(sequences):
        return fixed_bytes + sequences * bytes_per_sequence

    return step_bytes(global_batch) / step_bytes(micro_batch)
