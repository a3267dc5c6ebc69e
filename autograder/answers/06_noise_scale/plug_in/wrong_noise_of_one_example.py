# fails: plug_in_by_hand, plug_in_limits
# says: this adds the noise of one example; that of a batch of B is tr Σ / B
def plug_in(noise_scale, batch):
    return 1 / (1 / noise_scale + 1)
