# fails: model_state_bytes_by_hand, model_state_bytes_properties
# says: each stage includes those before it: the optimizer is sharded, too
def model_state_bytes(num_params, zero_stage, num_ranks):
    if num_params < 1 or num_ranks < 1 or zero_stage not in (0, 1, 2, 3):
        raise ValueError("impossible")
    parts = ((2, 3), (2, 2), (12, 1))
    return [size * num_params / (num_ranks if zero_stage == its_stage else 1) for size, its_stage in parts]
