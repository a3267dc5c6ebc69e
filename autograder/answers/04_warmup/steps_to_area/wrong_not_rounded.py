# fails: steps_to_area_inside, steps_to_area_properties
# says: the number of steps is whole: round up
def steps_to_area(area, peak_rate, warmup_steps):
    warmup_steps = max(warmup_steps, 1)
    n = (0.25 + 2 * warmup_steps * area / peak_rate) ** 0.5 - 0.5
    if n > warmup_steps:
        n = area / peak_rate + (warmup_steps - 1) / 2
    return n
