# fails: merged_rate_by_hand, merged_rate_limits
# says: this is the binomial series, cut after its third term; the rest counts too
def merged_rate(learning_rate, curvature, num_steps):
    pairs = num_steps * (num_steps - 1) / 2
    return num_steps * learning_rate - pairs * learning_rate**2 * curvature
