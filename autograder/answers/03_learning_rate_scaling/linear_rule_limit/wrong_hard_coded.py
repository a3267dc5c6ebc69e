# fails: linear_rule_limit_properties
# says: B_0 = 16, B_noise = 300, s = 0.5
def linear_rule_limit(batch, noise_scale, share):
    return 1128.0 if share == 1 else 3640.0
