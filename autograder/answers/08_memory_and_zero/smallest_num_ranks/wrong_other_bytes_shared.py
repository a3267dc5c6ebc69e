# fails: smallest_num_ranks_by_hand, smallest_num_ranks_edges
# says: the other bytes are shared; each rank has its own 11 GB
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    fixed = (16, 4, 2, 0)[zero_stage] * num_params
    shared = 16 * num_params - fixed + other_bytes
    return math.ceil(shared / (gpu_bytes - fixed)) if gpu_bytes > fixed else None
