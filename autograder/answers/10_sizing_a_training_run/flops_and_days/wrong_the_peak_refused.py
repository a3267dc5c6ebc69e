# fails: flops_and_days_by_hand, flops_and_days_properties
# says: a share of 1 is allowed
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation < 1:
        raise ValueError("a share above 0 and below 1")
    flops = 6 * num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
