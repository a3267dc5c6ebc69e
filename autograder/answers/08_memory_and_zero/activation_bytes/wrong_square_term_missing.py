# fails: activation_bytes_by_hand, activation_bytes_properties
# says: the square term is missing: attention is written out here
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    numbers = sequences * length * width
    return 2 * numbers * num_layers + 34 * numbers if checkpointed else 34 * numbers * num_layers
