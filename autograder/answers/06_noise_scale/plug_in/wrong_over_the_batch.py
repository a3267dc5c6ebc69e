# fails: plug_in_by_hand, plug_in_limits
# says: this is the noise scale over the batch
def plug_in(noise_scale, batch):
    return noise_scale / batch
