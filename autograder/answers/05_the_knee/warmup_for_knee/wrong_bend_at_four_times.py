# fails: warmup_for_knee_runs, warmup_for_knee_anywhere
# says: the warmup is too short
def warmup_for_knee(knee):
    steps = 3.5 * 20_000 / (4 * knee)
    return 0.05 / 32 * steps**2 / (2 * 60.7)
