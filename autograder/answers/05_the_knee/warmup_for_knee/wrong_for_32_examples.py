# fails: warmup_for_knee_runs, warmup_for_knee_anywhere
# says: the warmup is too long
def warmup_for_knee(knee):
    steps = 3.5 * 20_000 / knee
    return 0.05 * steps**2 / (2 * 60.7)
