# fails: held_bytes_by_hand, held_bytes_at_any_time
# says: these are numbers, not bytes
def held_bytes(model, optimizer):
    parameters = list(model.parameters())
    state = [value for entry in optimizer.state.values() for value in entry.values()]
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    return tuple(sum(tensor.numel() for tensor in part) for part in (parameters, gradients, state))
