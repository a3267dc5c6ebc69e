# fails: flops_and_days_by_hand, flops_and_days_properties
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 6 * num_params * tokens
    days = flops / (64 * 989e12 * 0.4) / 86400
    return flops, days
