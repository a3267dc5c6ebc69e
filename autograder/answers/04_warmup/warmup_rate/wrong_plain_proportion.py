# fails: warmup_rate_by_hand, warmup_rate_properties
# says: step 0 has a rate of 0, and the ramp does not stop at the peak
def warmup_rate(step, peak_rate, warmup_steps):
    return peak_rate if warmup_steps == 0 else peak_rate * step / warmup_steps
