# fails: held_bytes_by_hand, held_bytes_at_any_time
# says: a frozen parameter has no gradient: its .grad is None
# says: before the first backward pass
def held_bytes(model, optimizer):
    parameters = sum(parameter.nbytes for parameter in model.parameters())
    return parameters, parameters, sum(value.nbytes for entry in optimizer.state.values() for value in entry.values())
