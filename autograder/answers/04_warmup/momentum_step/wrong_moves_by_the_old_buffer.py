# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the weights moved by the buffer from before this step
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    new = momentum * (rate / previous_rate) * buffer + rate * gradient
    return weights - buffer, new
