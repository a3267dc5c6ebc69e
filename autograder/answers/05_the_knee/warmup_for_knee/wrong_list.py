# fails: warmup_for_knee_runs, warmup_for_knee_anywhere
def warmup_for_knee(knee):
    steps = 3.5 * 20_000 / knee
    c = 0.05 / 32 * steps**2 / (2 * 60.7)
    return c, round(c * knee)
