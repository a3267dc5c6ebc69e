# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the rate is in it twice: the buffer holds it already
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = momentum * (rate / previous_rate) * buffer + rate * gradient
    return weights - rate * buffer, buffer
