# fails: warmup_for_knee_runs, warmup_for_knee_anywhere
# says: the warmup is too short
def warmup_for_knee(knee):
    return 0
