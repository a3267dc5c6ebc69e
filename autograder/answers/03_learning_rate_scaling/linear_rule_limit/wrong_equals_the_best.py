# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: here the linear rate equals the best one; the loss rises only beyond twice the best
def linear_rule_limit(batch, noise_scale, share):
    return (batch + noise_scale) / share - noise_scale
