import math


def steps_to_area(area, peak_rate, warmup_steps):
    if warmup_steps == 0:
        return math.ceil(area / peak_rate)
    inside = math.ceil((0.25 + 2 * warmup_steps * area / peak_rate) ** 0.5 - 0.5)
    if inside <= warmup_steps:
        return inside
    return math.ceil(area / peak_rate + (warmup_steps - 1) / 2)
