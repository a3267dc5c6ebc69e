# fails: warmup_rate_by_hand, warmup_rate_properties
# says: step 0 has a rate of 0: it computes a gradient and does not move. Steps are counted from 0
def warmup_rate(step, peak_rate, warmup_steps):
    if step < warmup_steps:
        return peak_rate * step / warmup_steps
    return peak_rate
