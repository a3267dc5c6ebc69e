# fails: plug_in_by_hand, plug_in_limits
# says: this is the batch; it comes out only where there is nothing but noise
def plug_in(noise_scale, batch):
    return batch
