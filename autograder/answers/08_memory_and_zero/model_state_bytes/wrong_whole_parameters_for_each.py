# fails: model_state_bytes_properties
# says: optimizer of 5 parameters on 7 ranks
def model_state_bytes(num_params, zero_stage, num_ranks):
    if num_params < 1 or num_ranks < 1 or zero_stage not in (0, 1, 2, 3):
        raise ValueError("impossible")
    share = math.ceil(num_params / num_ranks)
    parts = ((2, 3), (2, 2), (12, 1))
    return [size * (share if zero_stage >= first else num_params) for size, first in parts]
