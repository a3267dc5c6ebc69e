"""Activations: the tensors that the forward pass keeps for the backward pass, counted in a real PyTorch graph."""

import torch
from torch import nn


def saved_bytes(model: nn.Module, inputs: torch.Tensor) -> int:
    """Return the bytes that model(inputs) keeps for its backward pass, its parameters and buffers not counted.

    PyTorch hands every tensor that it saves to the hook. Several of them can be views of the same memory, so memory is counted,
    not tensors: an input that is a slice of a larger tensor counts as that tensor. Under autocast, the low-precision copies of the
    parameters are saved too, and counted.
    """
    permanent = {tensor.untyped_storage().data_ptr() for tensor in (*model.parameters(), *model.buffers())}
    saved: dict[int, torch.UntypedStorage] = {}  # holding the storage keeps its address from being given out again

    def remember(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in permanent:
            saved[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor):
        model(inputs)
    return sum(storage.nbytes() for storage in saved.values())
