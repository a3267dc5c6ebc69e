# fails: activation_bytes_by_hand, activation_bytes_properties
# says: without dropout
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    numbers = sequences * length * width
    layer = numbers * (32 + (0 if flash else 2 * heads * length / width))
    return 2 * numbers * num_layers + layer if checkpointed else layer * num_layers
