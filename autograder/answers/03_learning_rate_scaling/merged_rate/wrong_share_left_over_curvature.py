# fails: merged_rate_by_hand, merged_rate_limits
# says: this is the share that is left over the curvature; asked for is the share that is covered
def merged_rate(learning_rate, curvature, num_steps):
    left = (1 - learning_rate * curvature) ** num_steps
    return left / curvature
