# fails: largest_stable_rate_properties
# says: a stable rate within the precision
# says: this one is not stable
def largest_stable_rate(is_stable, low, high, precision):
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        if is_stable(middle):
            low = middle
        else:
            high = middle
    return (low * high) ** 0.5
