def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    needed = [memory.model_state_bytes(num_params, zero_stage, 2**k).total + other_bytes for k in range(31)]
    enough = [k for k, held in enumerate(needed) if held <= gpu_bytes]
    if not enough:
        return None
    low, high = 0, 2 ** enough[0]
    while high - low > 1:
        middle = (low + high) // 2
        if memory.model_state_bytes(num_params, zero_stage, middle).total + other_bytes <= gpu_bytes:
            high = middle
        else:
            low = middle
    return torch.tensor(high)
