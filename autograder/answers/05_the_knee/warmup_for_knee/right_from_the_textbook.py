def warmup_for_knee(knee):
    return 5 / 32 * (512 / knee) ** 2  # the steps grow as the root of c
