# fails: plug_in_by_hand, plug_in_limits
# says: this is too large: the noise makes the denominator larger, so the result smaller than both
def plug_in(noise_scale, batch):
    return noise_scale + batch
