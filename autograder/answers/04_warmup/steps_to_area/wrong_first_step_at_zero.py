# fails: steps_to_area_inside, steps_to_area_past, steps_to_area_properties
# says: step 0 has already received one increment: its rate is not 0
# says: one too many
def steps_to_area(area, peak_rate, warmup_steps):
    n, collected = 0, 0.0
    while collected < area:
        collected += peak_rate if n >= warmup_steps else peak_rate * n / warmup_steps
        n += 1
    return n
