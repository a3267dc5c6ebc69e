# fails: flops_and_days_by_hand, flops_and_days_properties
# says: 40 is no share; 40 % is 0.4
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if utilisation > 1:
        utilisation = utilisation / 100
    flops = 6 * num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
