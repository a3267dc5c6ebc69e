# fails: steps_to_area_past
# says: an area of exactly 3 is enough
def steps_to_area(area, peak_rate, warmup_steps):
    n, collected = 0, 0.0
    while collected <= area:
        n += 1
        collected += peak_rate * min(1.0, n / max(warmup_steps, 1))
    return n
