def linear_rule_limit(batch, noise_scale, share):
    limit = batch
    while share * (limit + 1 + noise_scale) <= 2 * (batch + noise_scale):
        limit += 1
    return limit
