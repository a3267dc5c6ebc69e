# fails: momentum_step_against_torch
# says: `*=`, `+=` and `-=` write into the array
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    buffer *= momentum * rate / previous_rate
    buffer += rate * gradient
    weights -= buffer
    return weights, buffer
