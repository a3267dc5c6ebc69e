# fails: warmup_rate_by_hand, warmup_rate_properties
# says: this is the factor; multiply it by the peak rate
def warmup_rate(step, peak_rate, warmup_steps):
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    return 1.0
