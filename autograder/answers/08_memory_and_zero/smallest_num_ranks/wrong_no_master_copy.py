# fails: smallest_num_ranks_by_hand, smallest_num_ranks_edges
# says: the master copy is missing: 12 bytes a parameter
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    fixed = (12, 4, 2, 0)[zero_stage] * num_params
    shared = 12 * num_params - fixed
    left = gpu_bytes - other_bytes - fixed
    if left < 0 or (left == 0 and shared):
        return None
    return max(1, math.ceil(shared / left)) if shared else 1
