# fails: held_bytes_by_hand, held_bytes_at_any_time
# says: this counts 4 + 4 + 8 bytes for each of the 60 numbers; ask the tensors that are there
def held_bytes(model, optimizer):
    num_params = sum(parameter.numel() for parameter in model.parameters())
    return 4 * num_params, 4 * num_params, 8 * num_params
