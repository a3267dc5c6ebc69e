# fails: merged_rate_by_hand, merged_rate_limits
# says: this multiplies by the curvature; divide by it
def merged_rate(learning_rate, curvature, num_steps):
    left = (1 - learning_rate * curvature) ** num_steps
    return (1 - left) * curvature
