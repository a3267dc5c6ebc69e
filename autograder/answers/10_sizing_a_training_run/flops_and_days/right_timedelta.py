def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    from datetime import timedelta

    flops = 6 * num_params * tokens
    return flops, timedelta(seconds=flops / (num_gpus * peak_flops * utilisation)) / timedelta(days=1)
