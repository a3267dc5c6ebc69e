# fails: smallest_num_ranks_edges
# says: exactly full
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    fixed = (16, 4, 2, 0)[zero_stage] * num_params
    left = gpu_bytes - other_bytes - fixed
    return int((16 * num_params - fixed) // left + 1) if left > 0 else None
