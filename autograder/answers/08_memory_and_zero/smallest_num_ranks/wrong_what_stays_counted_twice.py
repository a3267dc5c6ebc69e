# fails: smallest_num_ranks_by_hand, smallest_num_ranks_edges
# says: the parameters, which stay, are counted among the shared parts, too: those have 14 bytes
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    left = gpu_bytes - other_bytes - (16, 4, 2, 0)[zero_stage] * num_params
    return math.ceil(16 * num_params / left) if left > 0 else None
