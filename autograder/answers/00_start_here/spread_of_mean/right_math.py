import math


def spread_of_mean(spread, batch_size):
    variance_of_average = spread**2 / batch_size
    return math.sqrt(variance_of_average)
