# fails: momentum_step_by_hand, momentum_step_against_torch
# says: the buffer was not corrected: it still holds the old rate
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer = momentum * buffer + rate * gradient
    return weights - buffer, buffer
