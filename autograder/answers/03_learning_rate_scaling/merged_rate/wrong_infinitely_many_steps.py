# fails: merged_rate_by_hand, merged_rate_limits
# says: this is the limit of infinitely many small steps; here they are 8
def merged_rate(learning_rate, curvature, num_steps):
    return (1 - np.exp(-num_steps * learning_rate * curvature)) / curvature
