# fails: plug_in_by_hand, plug_in_limits
# says: the harmonic mean of the two is twice the result
def plug_in(noise_scale, batch):
    return 2 / (1 / noise_scale + 1 / batch)
