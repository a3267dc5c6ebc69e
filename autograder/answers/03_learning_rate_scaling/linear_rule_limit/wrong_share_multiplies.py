# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: a rate below the best has more room to grow, not less
def linear_rule_limit(batch, noise_scale, share):
    return 2 * share * (batch + noise_scale) - noise_scale
