# fails: steps_to_area_past
# says: one too many: after 20 steps the area is exactly 33, which is enough
def steps_to_area(area, peak_rate, warmup_steps):
    n, collected = 0, 0.0
    while collected <= area:
        n += 1
        collected += peak_rate * min(1.0, n / max(warmup_steps, 1))
    return n
