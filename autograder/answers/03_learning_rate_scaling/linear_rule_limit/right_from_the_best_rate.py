def linear_rule_limit(batch, noise_scale, share):
    limit_of_the_best = noise_scale + 2 * batch
    return limit_of_the_best + 2 * (1 / share - 1) * (batch + noise_scale)
