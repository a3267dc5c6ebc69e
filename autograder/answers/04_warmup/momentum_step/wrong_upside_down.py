# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the factor is upside down: the buffer should hold the new rate
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = momentum * (previous_rate / rate) * buffer + rate * gradient
    return weights - buffer, buffer
