def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    gradients = buffer / previous_rate  # the buffer of the form with the rate outside
    gradients = momentum * gradients + gradient
    return [weights - rate * gradients, rate * gradients]
