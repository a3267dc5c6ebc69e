from largebatch.schedules import warmup_area


def steps_to_area(area, peak_rate, warmup_steps):
    n = 1
    while warmup_area(n, peak_rate, warmup_steps) < area:
        n += 1
    return float(n)
