# fails: flops_and_days_by_hand, flops_and_days_properties
# says: this is what the series prints, 17 times too much
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 1e23 * (num_params / 7e9) * (tokens / 140e9)
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
