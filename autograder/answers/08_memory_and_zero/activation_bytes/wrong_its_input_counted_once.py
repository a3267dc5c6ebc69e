# fails: activation_bytes_by_hand, activation_bytes_properties
# says: its input is counted in both
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    numbers = sequences * length * width
    layer = numbers * (34 + (0 if flash else 5 * heads * length / width))
    return 2 * numbers * (num_layers - 1) + layer if checkpointed else layer * num_layers
