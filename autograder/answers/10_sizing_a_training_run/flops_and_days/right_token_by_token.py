def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    tokens_a_second = num_gpus * peak_flops * utilisation / (6 * num_params)
    return 6 * num_params * tokens, tokens / tokens_a_second / 86400
