# fails: steps_to_area_past, steps_to_area_properties
# says: the ramp goes on beyond the peak: after W steps the rate stays
def steps_to_area(area, peak_rate, warmup_steps):
    n = 1
    while peak_rate * n * (n + 1) / (2 * max(warmup_steps, 1)) < area:
        n += 1
    return n
