class Parameter:
    grad = None

    def backward(self, gradient):
        self.grad = gradient if self.grad is None else self.grad + gradient


def accumulated_gradient(gradients):
    weight, calls = Parameter(), 0
    while (gradient := next(gradients, None)) is not None:
        weight.backward(gradient)
        calls += 1
    return weight.grad / calls
