def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    sbh = length * sequences * width
    if flash:
        layer = 34 * sbh
    else:
        layer = sbh * (34 + 5 * heads * length / width)
    if checkpointed:
        return num_layers * 2 * sbh + layer
    return num_layers * layer
