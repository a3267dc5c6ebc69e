# fails: model_state_bytes_by_hand, model_state_bytes_properties
# says: this is stage 3, not 1
def model_state_bytes(num_params, zero_stage, num_ranks):
    if num_params < 1 or num_ranks < 1 or zero_stage not in (0, 1, 2, 3):
        raise ValueError("impossible")
    share = num_ranks if zero_stage else 1
    return 2 * num_params / share, 2 * num_params / share, 12 * num_params / share
