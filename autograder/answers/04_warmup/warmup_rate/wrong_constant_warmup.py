# fails: warmup_rate_by_hand, warmup_rate_properties
# says: this is constant warmup: one small rate, then a jump
def warmup_rate(step, peak_rate, warmup_steps):
    if step < warmup_steps:
        return peak_rate / warmup_steps
    return peak_rate
