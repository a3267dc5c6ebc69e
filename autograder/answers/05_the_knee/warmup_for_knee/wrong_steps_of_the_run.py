# fails: warmup_for_knee_runs, warmup_for_knee_anywhere
# says: the warmup is too long
def warmup_for_knee(knee):
    return 3.5 * 20_000 / knee
