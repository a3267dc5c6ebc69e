# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: this is the smallest batch at which the linear rule is 10 % off
def linear_rule_limit(batch, noise_scale, share):
    return noise_scale / 9
