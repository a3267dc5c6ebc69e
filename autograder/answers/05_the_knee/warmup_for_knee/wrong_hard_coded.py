# fails: warmup_for_knee_anywhere
def warmup_for_knee(knee):
    return 2.5
