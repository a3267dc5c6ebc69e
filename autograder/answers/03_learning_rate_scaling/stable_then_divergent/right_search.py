def stable_then_divergent(factor):
    curvature, low, high = 10.0, 0.0, 1.0
    while True:  # bisection: converge with the rate, diverge with the larger one
        learning_rate = (low + high) / 2
        if abs(1 - learning_rate * curvature) >= 1:
            high = learning_rate
        elif abs(1 - factor * learning_rate * curvature) <= 1:
            low = learning_rate
        else:
            return [curvature, learning_rate]
