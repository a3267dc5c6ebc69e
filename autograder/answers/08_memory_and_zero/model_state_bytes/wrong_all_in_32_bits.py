# fails: model_state_bytes_by_hand, model_state_bytes_properties
# says: this is training in 32 bits, 4 + 4 + 8; mixed precision has 2 + 2 + 12
def model_state_bytes(num_params, zero_stage, num_ranks):
    if num_params < 1 or num_ranks < 1 or zero_stage not in (0, 1, 2, 3):
        raise ValueError("impossible")
    parts = ((4, 3), (4, 2), (8, 1))
    return [size * num_params / (num_ranks if zero_stage >= first else 1) for size, first in parts]
