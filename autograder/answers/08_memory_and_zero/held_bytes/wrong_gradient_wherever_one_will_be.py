# fails: held_bytes_at_any_time
# says: before the first backward pass
def held_bytes(model, optimizer):
    parameters = list(model.parameters())
    gradients = [parameter for parameter in parameters if parameter.requires_grad]
    state = [value for entry in optimizer.state.values() for value in entry.values()]
    return tuple(sum(tensor.nbytes for tensor in part) for part in (parameters, gradients, state))
