# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the new gradient was multiplied by 1 - momentum, which this form does not do
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = momentum * rate / previous_rate * buffer + (1 - momentum) * rate * gradient
    return weights - buffer, buffer
