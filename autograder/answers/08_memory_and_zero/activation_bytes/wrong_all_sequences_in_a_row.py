# fails: activation_bytes_by_hand, activation_bytes_properties
# says: a token attends to its own sequence only
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    tokens = sequences * length
    layer = tokens * width * (34 + (0 if flash else 5 * heads * tokens / width))
    return 2 * tokens * width * num_layers + layer if checkpointed else layer * num_layers
