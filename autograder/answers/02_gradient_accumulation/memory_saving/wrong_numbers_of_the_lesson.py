# fails: memory_saving_by_hand, memory_saving_limits
def memory_saving(fixed, sequence, batch, micro):
    return (fixed_bytes + batch * bytes_per_sequence) / (fixed_bytes + micro * bytes_per_sequence)
