# fails: model_state_bytes_properties
# says: the impossible case is not caught
def model_state_bytes(num_params, zero_stage, num_ranks):
    if num_ranks == 0:
        raise ValueError("no ranks")
    parts = ((2, 3), (2, 2), (12, 1))
    return [size * num_params / (num_ranks if zero_stage >= first else 1) for size, first in parts]
