# fails: plug_in_by_hand, plug_in_limits
# says: this divides by the infinite noise scale and forgets the batch
def plug_in(noise_scale, batch):
    return batch / noise_scale
