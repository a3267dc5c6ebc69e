# fails: activation_bytes_by_hand, activation_bytes_properties
# says: this is one layer of 32
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    numbers = sequences * length * width
    return 2 * numbers if checkpointed else numbers * (34 + (0 if flash else 5 * heads * length / width))
