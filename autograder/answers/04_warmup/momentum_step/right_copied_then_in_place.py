def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    weights, buffer = np.array(weights, dtype=float), np.array(buffer, dtype=float)
    if rate != previous_rate:
        buffer *= rate / previous_rate
    buffer *= momentum
    buffer += np.multiply(rate, gradient)
    weights -= buffer
    return weights, buffer
