# fails: flops_and_days_by_hand, flops_and_days_properties
# says: these are GPU-days: 64 GPUs share the work
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 6 * num_params * tokens
    days = flops / (peak_flops * utilisation) / 86400
    return flops, days
