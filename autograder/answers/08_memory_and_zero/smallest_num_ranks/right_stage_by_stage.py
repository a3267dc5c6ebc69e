def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    if 16 * num_params + other_bytes <= gpu_bytes:
        return 1
    if zero_stage == 0:
        return None
    shared = {1: 12, 2: 14, 3: 16}[zero_stage] * num_params
    left = gpu_bytes - other_bytes - (16 * num_params - shared)
    return np.ceil(shared / left) if left > 0 else None
