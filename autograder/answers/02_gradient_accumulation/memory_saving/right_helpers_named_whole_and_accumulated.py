def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    return whole(fixed_bytes, bytes_per_sequence, global_batch) / accumulated(
        fixed_bytes, bytes_per_sequence, micro_batch
    )


def whole(fixed_bytes, bytes_per_sequence, global_batch):
    return fixed_bytes + bytes_per_sequence * global_batch


def accumulated(fixed_bytes, bytes_per_sequence, micro_batch):
    return fixed_bytes + bytes_per_sequence * micro_batch
