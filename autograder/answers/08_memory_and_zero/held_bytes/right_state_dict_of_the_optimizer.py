from itertools import chain


def held_bytes(model, optimizer):
    named = dict(model.named_parameters())
    entries = chain.from_iterable(entry.values() for entry in optimizer.state_dict()["state"].values())
    return [
        sum(parameter.nbytes for parameter in named.values()),
        sum(parameter.grad.nbytes for parameter in named.values() if parameter.grad is not None),
        sum(getattr(value, "nbytes", 0) for value in entries),
    ]
