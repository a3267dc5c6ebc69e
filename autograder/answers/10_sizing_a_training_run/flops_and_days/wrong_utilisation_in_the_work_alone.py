# fails: flops_and_days_by_hand, flops_and_days_properties
# says: the days are right; but the model's operations do not depend on the utilisation
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("no such share")
    flops = 6 * num_params * tokens / utilisation
    return flops, flops / (num_gpus * peak_flops) / 86_400
