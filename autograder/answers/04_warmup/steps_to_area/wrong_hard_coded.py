# fails: steps_to_area_properties
# says: a single step is enough
def steps_to_area(area, peak_rate, warmup_steps):
    return {1.2: 3, 21.0: 14, 33.0: 20}.get(area, 4)
