# fails: plug_in_by_hand, plug_in_limits
# says: this subtracts where the recipe adds
def plug_in(noise_scale, batch):
    return 1 / (1 / noise_scale - 1 / batch)
