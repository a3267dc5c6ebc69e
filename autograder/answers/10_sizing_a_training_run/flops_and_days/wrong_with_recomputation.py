# fails: flops_and_days_by_hand, flops_and_days_properties
# says: this counts the second forward pass of recomputation, which is the hardware's, not the model's
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    if not 0 < utilisation <= 1:
        raise ValueError("a share")
    flops = 8 * num_params * tokens
    days = flops / (num_gpus * peak_flops * utilisation) / 86400
    return flops, days
