# fails: activation_bytes_by_hand, activation_bytes_properties
# says: the layer that is run again has no square term: flash attention
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    numbers = sequences * length * width
    if checkpointed:
        return 2 * numbers * num_layers + numbers * (34 + 5 * heads * length / width)
    return numbers * (34 + (0 if flash else 5 * heads * length / width)) * num_layers
