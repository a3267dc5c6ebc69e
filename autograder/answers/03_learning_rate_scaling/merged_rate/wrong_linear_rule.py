# fails: merged_rate_by_hand, merged_rate_limits
# says: this is the linear rule; with k η λ = 1.6 it overshoots
def merged_rate(learning_rate, curvature, num_steps):
    return num_steps * learning_rate
