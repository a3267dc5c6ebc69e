# fails: plug_in_by_hand, plug_in_limits
# says: this subtracts the noise; without a correction it is added
def plug_in(noise_scale, batch):
    return 1 / (1 / batch - 1 / noise_scale)
