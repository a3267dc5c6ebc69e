# fails: smallest_num_ranks_by_hand, smallest_num_ranks_edges
# says: where it never fits, counting upwards leads nowhere
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    num_ranks = 1
    while memory.model_state_bytes(num_params, zero_stage, num_ranks).total + other_bytes > gpu_bytes:
        num_ranks += 1
    return num_ranks
