def model_state_bytes(num_params, zero_stage, num_ranks):
    shared = {0: [False, False, False], 1: [False, False, True], 2: [False, True, True], 3: [True, True, True]}
    if zero_stage not in shared or min(num_params, num_ranks) < 1:
        raise ValueError(f"impossible: {num_params} parameters, stage {zero_stage}, {num_ranks} ranks")
    whole = torch.tensor([2, 2, 12], dtype=torch.float64) * num_params
    return torch.where(torch.tensor(shared[zero_stage]), whole / num_ranks, whole)
