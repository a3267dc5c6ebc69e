# fails: steps_to_area_properties
# says: no warmup
def steps_to_area(area, peak_rate, warmup_steps):
    n = math.ceil((0.25 + 2 * warmup_steps * area / peak_rate) ** 0.5 - 0.5)
    if n > warmup_steps:
        n = math.ceil(area / peak_rate + (warmup_steps - 1) / 2)
    return n
