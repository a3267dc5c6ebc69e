# fails: steps_to_area_inside, steps_to_area_past, steps_to_area_properties
# says: this ignores the ramp: the first steps do not have the peak rate
def steps_to_area(area, peak_rate, warmup_steps):
    return math.ceil(area / peak_rate)
