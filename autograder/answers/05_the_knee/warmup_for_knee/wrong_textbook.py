# fails: warmup_for_knee_runs, warmup_for_knee_anywhere
# says: the warmup is too short: the bend lies at a larger batch
def warmup_for_knee(knee):
    return 5 / 32
