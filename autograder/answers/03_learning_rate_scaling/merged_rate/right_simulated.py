def merged_rate(learning_rate, curvature, num_steps):
    start = theta = 5.0
    for _ in range(num_steps):
        gradient = curvature * theta
        theta = theta - learning_rate * gradient
    return (start - theta) / (curvature * start)
