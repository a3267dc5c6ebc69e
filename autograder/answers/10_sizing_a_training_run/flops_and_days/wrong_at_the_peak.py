# fails: flops_and_days_by_hand, flops_and_days_properties
# says: this is the time at the peak; the GPUs reach 40 % of it
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 6 * num_params * tokens
    days = flops / (num_gpus * peak_flops) / 86400
    return flops, days
