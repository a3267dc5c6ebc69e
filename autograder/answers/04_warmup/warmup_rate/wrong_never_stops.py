# fails: warmup_rate_by_hand, warmup_rate_properties
# says: the ramp does not stop at the peak
def warmup_rate(step, peak_rate, warmup_steps):
    return peak_rate * (step + 1) / max(warmup_steps, 1)
