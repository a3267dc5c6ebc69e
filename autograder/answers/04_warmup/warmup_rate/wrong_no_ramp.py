# fails: warmup_rate_by_hand, warmup_rate_properties
# says: there is no ramp
def warmup_rate(step, peak_rate, warmup_steps):
    factor = max(1.0, (step + 1) / max(warmup_steps, 1))  # min was meant
    return peak_rate * min(factor, 1.0)
