def merged_rate(learning_rate, curvature, num_steps):
    # The gradients that the small steps meet, in units of the first one, added up.
    return learning_rate * np.sum((1 - learning_rate * curvature) ** np.arange(num_steps))
