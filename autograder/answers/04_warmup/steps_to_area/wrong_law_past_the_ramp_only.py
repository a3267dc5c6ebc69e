# fails: steps_to_area_inside, steps_to_area_properties
# says: area / peak + (W - 1)/2 holds only past the ramp
def steps_to_area(area, peak_rate, warmup_steps):
    return math.ceil(area / peak_rate + (max(warmup_steps, 1) - 1) / 2)
