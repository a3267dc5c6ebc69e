# fails: flops_and_days_by_hand, flops_and_days_properties
# says: these are days and FLOPs; asked for are FLOPs and days
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 6 * num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return days, flops
