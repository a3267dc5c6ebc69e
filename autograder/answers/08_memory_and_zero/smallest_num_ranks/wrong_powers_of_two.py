# fails: smallest_num_ranks_by_hand, smallest_num_ranks_edges
# says: any number of ranks will do, not only powers of two
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    for num_ranks in 2 ** np.arange(11):
        if memory.model_state_bytes(num_params, zero_stage, int(num_ranks)).total + other_bytes <= gpu_bytes:
            return num_ranks
