# fails: flops_and_days_by_hand, flops_and_days_properties
# says: at 40 % of the peak it takes longer than at the peak, not less time
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 6 * num_params * tokens
    days = flops * utilisation / (num_gpus * peak_flops) / 86400
    return flops, days
