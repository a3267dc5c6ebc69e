def held_bytes(model, optimizer):
    parameters = gradients = state = 0
    for parameter in model.parameters():
        parameters += parameter.numel() * parameter.element_size()
        if parameter.grad is not None:
            gradients += parameter.grad.numel() * parameter.grad.element_size()
    for entry in optimizer.state.values():
        for value in entry.values():
            if torch.is_tensor(value):
                state += value.numel() * value.element_size()
    return parameters, gradients, state
