# fails: largest_stable_rate_quadratic, largest_stable_rate_properties
# says: this is stable, but too far below the limit
def largest_stable_rate(is_stable, low, high, precision):
    rate = low
    while is_stable(2 * rate):
        rate = 2 * rate
    return rate
