# fails: steps_to_area_past, steps_to_area_properties
# says: a ramp costs (W - 1)/2 steps, not W/2; and the number of steps is whole
def steps_to_area(area, peak_rate, warmup_steps):
    n = (2 * warmup_steps * area / peak_rate) ** 0.5  # the area of a triangle
    if n > warmup_steps:
        n = area / peak_rate + warmup_steps / 2
    return n
