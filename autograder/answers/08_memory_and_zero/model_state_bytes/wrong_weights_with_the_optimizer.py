# fails: model_state_bytes_by_hand, model_state_bytes_properties
# says: the weights are sharded as well: from stage 3 on
def model_state_bytes(num_params, zero_stage, num_ranks):
    if num_params < 1 or num_ranks < 1 or zero_stage not in (0, 1, 2, 3):
        raise ValueError("impossible")
    parts = ((2, 1), (2, 2), (12, 1))  # the optimizer updates the weights, so it takes them along
    return [size * num_params / (num_ranks if zero_stage >= first else 1) for size, first in parts]
