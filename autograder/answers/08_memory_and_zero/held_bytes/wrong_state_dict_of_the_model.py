# fails: held_bytes_by_hand
# says: the tied weight is counted twice among the parameters (a state_dict lists it under both names)
def held_bytes(model, optimizer):
    parameters = sum(tensor.nbytes for tensor in model.state_dict().values())
    gradients = sum(parameter.grad.nbytes for parameter in model.parameters() if parameter.grad is not None)
    return parameters, gradients, sum(value.nbytes for entry in optimizer.state.values() for value in entry.values())
