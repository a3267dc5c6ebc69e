# fails: held_bytes_by_hand
# says: a frozen parameter has no gradient, and the optimizer need not know it, but it is there
def held_bytes(model, optimizer):
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    state = [value for entry in optimizer.state.values() for value in entry.values()]
    return tuple(sum(tensor.nbytes for tensor in part) for part in (parameters, gradients, state))
