# fails: smallest_num_ranks_by_hand, smallest_num_ranks_edges
# says: this is stage 3: at stage 2 the 26 GB of parameters stay on every rank
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    left = gpu_bytes - other_bytes
    return math.ceil(16 * num_params / left) if left > 0 else None
