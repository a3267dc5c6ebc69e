def warmup_rate(step, peak_rate, warmup_steps):
    factor = np.interp(step + 1, [0, max(warmup_steps, 1)], [0, 1])  # flat beyond the last point
    return factor * peak_rate
