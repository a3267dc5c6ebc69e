# fails: plug_in_by_hand, plug_in_limits
# says: the sum of the inverses is the inverse of the result
def plug_in(noise_scale, batch):
    return 1 / noise_scale + 1 / batch
