# fails: merged_rate_by_hand, merged_rate_limits
# says: solve 1 - η' λ = left for η': the sign is the wrong way round
def merged_rate(learning_rate, curvature, num_steps):
    left = (1 - learning_rate * curvature) ** num_steps
    return (left - 1) / curvature
