def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    table = [(4, 0), (2, 0), (4, 0), (0, 2), (0, 1), (2, 2), (2, 0), (1, 0), (2, 0), (8, 0), (8, 0), (1, 0)]
    a_layer = 0
    for _ in range(sequences):
        for linear, square in table:
            a_layer += linear * length * width + (not flash) * square * heads * length**2
    kept = 0
    for _ in range(num_layers):
        kept += 2 * sequences * length * width if checkpointed else a_layer
    return torch.tensor(kept + a_layer if checkpointed else kept, dtype=torch.float64)
