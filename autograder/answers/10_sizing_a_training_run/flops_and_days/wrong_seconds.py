# fails: flops_and_days_by_hand, flops_and_days_properties
# says: the time is in seconds; a day has 86 400
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 6 * num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation)
    return flops, days
