# fails: merged_rate_limits
# says: a division by zero or an overflow
def merged_rate(learning_rate, curvature, num_steps):
    # Exact, but only as long as a small step does not overshoot.
    return -np.expm1(num_steps * np.log1p(-learning_rate * curvature)) / curvature
