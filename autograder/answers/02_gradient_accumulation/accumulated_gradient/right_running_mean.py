def accumulated_gradient(gradients):
    mean = 0.0
    for count, gradient in enumerate(gradients, start=1):
        mean = mean + (gradient - mean) / count  # Welford
    return mean
