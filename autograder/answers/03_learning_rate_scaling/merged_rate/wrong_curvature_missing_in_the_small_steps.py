# fails: merged_rate_by_hand, merged_rate_limits
# says: the curvature is missing in what one small step leaves, 1 - η λ
def merged_rate(learning_rate, curvature, num_steps):
    return (1 - (1 - learning_rate) ** num_steps) / curvature
