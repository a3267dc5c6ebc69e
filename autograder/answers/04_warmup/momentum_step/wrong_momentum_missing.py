# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the momentum is missing: the buffer fades by it in each step
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = rate / previous_rate * buffer + rate * gradient
    return weights - buffer, buffer
