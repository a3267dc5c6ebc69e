def warmup_rate(step, peak_rate, warmup_steps):
    return min(peak_rate, peak_rate * (step + 1) / max(warmup_steps, 1))
