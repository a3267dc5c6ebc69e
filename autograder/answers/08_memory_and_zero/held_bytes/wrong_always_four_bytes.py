# fails: held_bytes_by_hand
# says: these numbers do not have 4 bytes each: ask element_size()
def held_bytes(model, optimizer):
    parameters = list(model.parameters())
    state = [value for entry in optimizer.state.values() for value in entry.values()]
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    return tuple(4 * sum(tensor.numel() for tensor in part) for part in (parameters, gradients, state))
