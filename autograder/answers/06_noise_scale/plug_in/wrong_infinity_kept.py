# fails: plug_in_limits
# says: the recipe knows nothing of an infinite noise scale: it prints its batch
def plug_in(noise_scale, batch):
    if noise_scale == float("inf"):
        return noise_scale
    return noise_scale / (1 + noise_scale / batch)
