def model_state_bytes(num_params, zero_stage, num_ranks):
    if zero_stage < 0 or zero_stage > 3:
        raise ValueError("stages are 0 to 3")
    if num_params < 1 or num_ranks < 1:
        raise ValueError("nothing to count")
    bytes_each = np.array([2.0, 2.0, 12.0])
    return list(num_params * bytes_each / np.where(np.array([3, 2, 1]) <= zero_stage, num_ranks, 1))
