# fails: linear_rule_limit_by_hand, linear_rule_limit_properties
# says: here the rate is twice the best of the old batch; the best rate grows with the batch too
def linear_rule_limit(batch, noise_scale, share):
    return 2 * batch / share
