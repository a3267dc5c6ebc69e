# fails: held_bytes_by_hand, held_bytes_at_any_time
# says: the step counter is missing: a tensor of 4 bytes
# says: KeyError
def held_bytes(model, optimizer):
    parameters = list(model.parameters())
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    moments = [entry[name] for entry in optimizer.state.values() for name in ("exp_avg", "exp_avg_sq")]
    return tuple(sum(tensor.nbytes for tensor in part) for part in (parameters, gradients, moments))
