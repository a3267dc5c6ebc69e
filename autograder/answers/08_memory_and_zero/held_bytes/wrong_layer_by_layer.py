# fails: held_bytes_by_hand
# says: the tied weight is counted twice; it is one tensor
def held_bytes(model, optimizer):
    parameters = gradients = 0
    for layer in model.children():
        for parameter in layer.parameters():
            parameters += parameter.nbytes
            if parameter.grad is not None:
                gradients += parameter.grad.nbytes
    return parameters, gradients, sum(value.nbytes for entry in optimizer.state.values() for value in entry.values())
