def model_state_bytes(num_params, zero_stage, num_ranks):
    if num_params <= 0:
        raise ValueError("a model has parameters")
    if num_ranks <= 0:
        raise ValueError("somebody must compute")
    if zero_stage not in [0, 1, 2, 3]:
        raise ValueError("no such stage")
    parameters = 2 * num_params
    gradients = 2 * num_params
    optimizer = (4 + 4 + 4) * num_params
    if zero_stage >= 1:
        optimizer /= num_ranks
    if zero_stage >= 2:
        gradients /= num_ranks
    if zero_stage >= 3:
        parameters /= num_ranks
    return parameters, gradients, optimizer
