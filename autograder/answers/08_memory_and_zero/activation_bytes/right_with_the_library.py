def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    layer = memory.activation_bytes(sequences, length, width, heads, "selective" if flash else "none")
    if not checkpointed:
        return np.float32(num_layers * layer)
    return np.float32(layer + num_layers * memory.activation_bytes(sequences, length, width, heads, "full"))
