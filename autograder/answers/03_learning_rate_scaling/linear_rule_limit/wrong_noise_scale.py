# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: this is the noise scale; the limit depends on batch and share too
def linear_rule_limit(batch, noise_scale, share):
    return noise_scale
