# fails: merged_rate_by_hand, merged_rate_limits
# says: this is the square-root rule; it has another premise
def merged_rate(learning_rate, curvature, num_steps):
    return learning_rate * np.sqrt(num_steps)
