def linear_rule_limit(batch, noise_scale, share):
    return round(2 / share * (batch + noise_scale) - noise_scale)
