# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the new gradient was given the previous rate
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = momentum * (rate / previous_rate) * buffer + previous_rate * gradient
    return weights - buffer, buffer
