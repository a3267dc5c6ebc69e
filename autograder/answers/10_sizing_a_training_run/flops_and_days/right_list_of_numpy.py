def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if utilisation <= 0 or utilisation > 1:
        raise ValueError(utilisation)
    flops = np.prod([6.0, num_params, tokens])
    return np.array([flops, flops / np.prod([num_gpus, peak_flops, utilisation, 24.0, 60.0, 60.0])])
