# fails: memory_saving_limits
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return (112e9 + global_batch * bytes_per_sequence) / (112e9 + micro_batch * bytes_per_sequence)
