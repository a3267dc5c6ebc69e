def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    def fits(num_ranks):
        return memory.model_state_bytes(num_params, zero_stage, num_ranks).total + other_bytes <= gpu_bytes

    stays = sum([2, 2, 12][: 3 - zero_stage]) * num_params
    if stays + other_bytes >= gpu_bytes and not fits(1):
        return None
    num_ranks = 1
    while not fits(num_ranks):
        num_ranks += 1
    return num_ranks
