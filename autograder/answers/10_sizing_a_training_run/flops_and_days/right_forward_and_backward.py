def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    assert_share(utilisation)
    forward = 2 * num_params * tokens
    backward = 2 * forward
    a_day = 24 * 3600 * num_gpus * peak_flops * utilisation
    return [forward + backward, (forward + backward) / a_day]


def assert_share(value):
    if value > 1 or value <= 0:
        raise ValueError("a utilisation is above 0 and at most 1")
