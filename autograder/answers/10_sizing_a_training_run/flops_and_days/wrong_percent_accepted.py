# fails: flops_and_days_by_hand, flops_and_days_properties
# says: the impossible case is not caught
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    flops = 6 * num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
