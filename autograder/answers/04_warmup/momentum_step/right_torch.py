def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    weights, buffer, gradient = (torch.as_tensor(each).clone() for each in (weights, buffer, gradient))
    buffer.mul_(momentum * rate / previous_rate).add_(gradient, alpha=rate)
    return weights.sub(buffer), buffer
