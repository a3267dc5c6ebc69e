# fails: flops_and_days_by_hand, flops_and_days_properties
# says: each weight and token meet in six operations, not in one
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
