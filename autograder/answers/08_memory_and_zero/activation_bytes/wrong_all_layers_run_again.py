# fails: activation_bytes_by_hand
# says: all layers are there in full; only one at a time is run again
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    numbers = sequences * length * width
    layer = numbers * (34 + (0 if flash else 5 * heads * length / width))
    return (2 * numbers + layer) * num_layers if checkpointed else layer * num_layers
