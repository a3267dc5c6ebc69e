# fails: flops_and_days_properties
# says: ValueError, because 0 is no such share
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if utilisation > 1:
        raise ValueError("too much")
    flops = 6 * num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
