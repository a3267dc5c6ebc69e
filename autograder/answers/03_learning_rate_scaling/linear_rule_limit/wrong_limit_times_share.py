# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: a rate below the best has more room to grow, not less: this is s times the limit of the best rate
def linear_rule_limit(batch, noise_scale, share):
    return share * (noise_scale + 2 * batch)
