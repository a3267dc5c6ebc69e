import math


def tokens_per_step(*factors):
    return math.prod(factors)
