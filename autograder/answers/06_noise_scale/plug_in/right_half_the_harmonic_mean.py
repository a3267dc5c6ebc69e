from statistics import harmonic_mean


def plug_in(noise_scale, batch):
    return harmonic_mean([noise_scale, batch]) / 2
