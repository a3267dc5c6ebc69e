# fails: steps_to_area_past, steps_to_area_properties
# says: these are the steps after the ramp; the ramp's own 8 come before them
def steps_to_area(area, peak_rate, warmup_steps):
    steps, collected = 0, 0.0
    while steps < warmup_steps and collected < area:
        collected += peak_rate * (steps + 1) / warmup_steps
        steps += 1
    if collected >= area:
        return steps
    return math.ceil((area - collected) / peak_rate)
