# fails: smallest_num_ranks_edges
# says: 65,334 ranks
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    for num_ranks in range(1, 1025):
        if memory.model_state_bytes(num_params, zero_stage, num_ranks).total + other_bytes <= gpu_bytes:
            return num_ranks
    return None
