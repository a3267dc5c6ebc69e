# fails: warmup_rate_by_hand, warmup_rate_properties
# says: the ramp runs from 0 in W - 1 increments; here it has W, and step 0 has received one
def warmup_rate(step, peak_rate, warmup_steps):
    ramp = np.linspace(0, peak_rate, warmup_steps)
    return ramp[step] if step < warmup_steps else peak_rate
