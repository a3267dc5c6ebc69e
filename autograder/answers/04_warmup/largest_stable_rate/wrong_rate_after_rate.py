# fails: largest_stable_rate_quadratic, largest_stable_rate_properties
# says: halve the range in each run instead of trying rate after rate
def largest_stable_rate(is_stable, low, high, precision):
    rate = low
    while is_stable(rate * (1 + precision)):
        rate = rate * (1 + precision)
    return rate
