# fails: warmup_rate_by_hand, warmup_rate_properties
# says: the ramp has W + 1 increments: step W - 1 is the first at the peak
def warmup_rate(step, peak_rate, warmup_steps):
    return peak_rate * min(1, (step + 1) / (warmup_steps + 1))
