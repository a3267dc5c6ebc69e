# fails: warmup_rate_properties
# says: ZeroDivisionError
def warmup_rate(step, peak_rate, warmup_steps):
    return peak_rate * min(1, (step + 1) / warmup_steps)
