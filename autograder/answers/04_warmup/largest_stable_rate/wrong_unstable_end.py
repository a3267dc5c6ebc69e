# fails: largest_stable_rate_quadratic, largest_stable_rate_properties
# says: this one is unstable, or the middle of the last two: return the stable end
# says: this one is not stable
def largest_stable_rate(is_stable, low, high, precision):
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        if is_stable(middle):
            low = middle
        else:
            high = middle
    return high
