# fails: smallest_num_ranks_by_hand, smallest_num_ranks_edges
# says: parameters and gradients, 52 GB, stay on every rank at stage 1: no number of ranks is enough
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    fixed = (16, 4, 2, 0)[zero_stage] * num_params
    return max(1, math.ceil((16 * num_params - fixed) / (gpu_bytes - other_bytes - fixed)))
