# fails: momentum_step_by_hand, momentum_step_against_torch
# says: this is the form with the rate outside, PyTorch's; here the buffer holds rate × gradient
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = momentum * buffer + gradient
    return weights - rate * buffer, buffer
