# fails: flops_and_days_by_hand, flops_and_days_properties
# says: the utilisation tells how fast the operations are done, not how many they are
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 6 * num_params * tokens * utilisation
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
