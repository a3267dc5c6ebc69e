# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: this is B_noise + 2 B_0 / s; the noise scale meets s too: solve s · ratio = 2
def linear_rule_limit(batch, noise_scale, share):
    return noise_scale + 2 * batch / share
