# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: a smaller share lets the rule go further, but not just in proportion: solve s · ratio = 2
def linear_rule_limit(batch, noise_scale, share):
    return (noise_scale + 2 * batch) / share
