# fails: warmup_rate_by_hand, warmup_rate_properties
# says: step W lies past the ramp: `<`, not `<=`
def warmup_rate(step, peak_rate, warmup_steps):
    if step <= warmup_steps and warmup_steps > 0:
        return peak_rate * (step + 1) / warmup_steps
    return peak_rate
