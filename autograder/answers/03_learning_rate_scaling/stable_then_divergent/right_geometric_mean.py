import math


def stable_then_divergent(factor):
    return 4.0, 0.5 / math.sqrt(factor)
