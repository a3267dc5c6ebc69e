def peak(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    highest = alive = fixed_bytes
    for _ in range(global_batch // micro_batch):
        alive = alive + micro_batch * bytes_per_sequence  # forward
        highest = max(highest, alive)
        alive = alive - micro_batch * bytes_per_sequence  # backward
    return highest


def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    at_once = peak(fixed_bytes, bytes_per_sequence, global_batch, global_batch)
    return at_once / peak(fixed_bytes, bytes_per_sequence, global_batch, micro_batch)
