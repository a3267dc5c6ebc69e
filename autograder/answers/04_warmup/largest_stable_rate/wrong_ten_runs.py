# fails: largest_stable_rate_properties
# says: a stable rate within the precision
# says: this is stable, but too far below the limit
def largest_stable_rate(is_stable, low, high, precision):
    for _ in range(10):
        middle = (low * high) ** 0.5
        if is_stable(middle):
            low = middle
        else:
            high = middle
    return low
