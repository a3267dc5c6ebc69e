def steps_of(warmup_steps, peak):
    collected = steps = 0
    while collected < 60.7:
        steps += 1
        collected += peak * min(1, steps / warmup_steps)
    return steps


def warmup_for_knee(knee):
    c = 0.001
    while steps_of(max(1, round(c * knee)), 0.05 * knee / 32) * knee / 20_000 < 3.3:
        c *= 1.02
    return np.float64(c)
