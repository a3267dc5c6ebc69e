def held_bytes(model, optimizer):
    def size(tensors):
        storages = {tensor.untyped_storage()._cdata: tensor.untyped_storage() for tensor in tensors}
        return sum(storage.nbytes() for storage in storages.values())

    everything = [parameter for layer in model.modules() for parameter in layer.parameters(recurse=False)]
    gradients = [parameter.grad for parameter in everything if parameter.grad is not None]
    state = [value for entry in optimizer.state.values() for value in entry.values() if isinstance(value, torch.Tensor)]
    return np.array([size(everything), size(gradients), size(state)])
