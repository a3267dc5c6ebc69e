# fails: activation_bytes_properties
# says: where a s / h is no whole number
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    numbers = sequences * length * width
    layer = numbers * (34 + (0 if flash else 5 * heads * length // width))
    return 2 * numbers * num_layers + layer if checkpointed else layer * num_layers
