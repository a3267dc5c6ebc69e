# fails: plug_in_limits
# says: a division by zero or an overflow
def plug_in(noise_scale, batch):
    return noise_scale * batch / (noise_scale + batch)
