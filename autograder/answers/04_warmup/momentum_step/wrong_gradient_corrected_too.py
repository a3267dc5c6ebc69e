# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the new gradient was corrected too; it has the new rate already
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = (rate / previous_rate) * (momentum * buffer + rate * gradient)
    return weights - buffer, buffer
