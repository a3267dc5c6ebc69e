# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: subtract the noise scale at the end: the ratio holds B + B_noise
def linear_rule_limit(batch, noise_scale, share):
    return 2 * (batch + noise_scale) / share
