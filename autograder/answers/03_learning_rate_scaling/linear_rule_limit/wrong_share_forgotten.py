# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: this is right for s = 1; the recipe is at 0.7 of its best rate
def linear_rule_limit(batch, noise_scale, share):
    return noise_scale + 2 * batch
