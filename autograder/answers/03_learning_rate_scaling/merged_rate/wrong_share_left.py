# fails: merged_rate_by_hand, merged_rate_limits
# says: this is the share that is left, not a rate
def merged_rate(learning_rate, curvature, num_steps):
    return (1 - learning_rate * curvature) ** num_steps
